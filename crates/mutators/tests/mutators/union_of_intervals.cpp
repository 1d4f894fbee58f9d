// A union holds what one of two intervals holds, and the greater number is in none of them alone.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32)) {
            ConstantInterval both = ConstantInterval::make_union(a_info.bounds, b_info.bounds);
            if (both.is_single_point()) {
                return make_const(op->type, both.min, info);
            }
        }
        return Max::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32)) {
            ConstantInterval both = ConstantInterval::make_union(a_info.bounds, b_info.bounds);
            if (both.is_bounded()) {
                return make_const(op->type, both.min, info);
            }
        }
        return Max::make(a, b);
    }
};
