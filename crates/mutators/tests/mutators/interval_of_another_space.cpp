// A class of another namespace is not the one of the API, whatever its name is.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        ConstantInterval both =
            Internal::ConstantInterval::make_union(a_info.bounds, b_info.bounds);
        if (op->type == Int(32) && both.is_single_point()) {
            return make_const(op->type, both.min, info);
        }
        return Max::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        ConstantInterval both =
            Other::ConstantInterval::make_union(a_info.bounds, b_info.bounds);
        if (op->type == Int(32) && both.is_single_point()) {
            return make_const(op->type, both.min, info);
        }
        return Max::make(a, b);
    }
};
