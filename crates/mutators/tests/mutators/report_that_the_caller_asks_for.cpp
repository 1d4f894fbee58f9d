// What a method computes only for a caller that asks for a report may fail, too.
// wrong: crash
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Div *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (bounds && b_info.min_defined && b_info.min > 0) {
            bounds->min_defined = a_info.min_defined;
            bounds->min = div_imp(a_info.min, b_info.min);
        }
        return Div::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Div *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (bounds && b_info.min_defined && b_info.min != 0) {
            bounds->min_defined = a_info.min_defined;
            bounds->min = div_imp(a_info.min, b_info.min);
        }
        return Div::make(a, b);
    }
};
