// Where a statement reads a report and assigns a member, the report says nothing any more.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Min *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        bool is_less = a_info.max_defined && b_info.min_defined && a_info.max <= b_info.min;
        a_info.alignment = ModulusRemainder::intersect(a_info.alignment, b_info.alignment);
        if (is_less) {
            return a;
        }
        return Min::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Min *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        a_info.max = std::min(a_info.max, b_info.max);
        if (a_info.max_defined && b_info.min_defined && a_info.max <= b_info.min) {
            return a;
        }
        return Min::make(a, b);
    }
};
