// A caller that asks for no report gives a null pointer.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (info != nullptr) {
            info->bounds = a_info.bounds - b_info.bounds;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (info != nullptr || a_info.bounds.is_single_point()) {
            info->bounds = a_info.bounds - b_info.bounds;
        }
        return Sub::make(a, b);
    }
};
