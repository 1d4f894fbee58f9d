// Bounds that `mutate` reports beside its result tell which operand is the lesser.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Min *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (info) {
            info->min_defined = a_info.min_defined && b_info.min_defined;
            info->min = std::min(a_info.min, b_info.min);
        }
        if (a_info.max_defined && b_info.min_defined && a_info.max <= b_info.min) {
            return a;
        }
        return Min::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Min *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (info) {
            info->min_defined = a_info.min_defined && b_info.min_defined;
            info->min = std::min(a_info.min, b_info.min);
        }
        if (b_info.max_defined && a_info.min_defined && b_info.max <= a_info.min) {
            return a;
        }
        return Min::make(a, b);
    }
};
