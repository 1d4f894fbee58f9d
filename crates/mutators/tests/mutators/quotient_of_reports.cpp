// The quotient of two intervals holds that of the operands, also by 0.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Div *op, ExprInfo *info) {
        ExprInfo a_info, b_info, quotient;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            quotient.bounds = a_info.bounds / b_info.bounds;
            quotient.cast_to(op->type);
            if (quotient.bounds.is_single_point()) {
                return make_const(op->type, quotient.bounds.min, info);
            }
        }
        return Div::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Div *op, ExprInfo *info) {
        ExprInfo a_info, b_info, quotient;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            quotient.bounds = a_info.bounds % b_info.bounds;
            quotient.cast_to(op->type);
            if (quotient.bounds.is_single_point()) {
                return make_const(op->type, quotient.bounds.min, info);
            }
        }
        return Div::make(a, b);
    }
};
