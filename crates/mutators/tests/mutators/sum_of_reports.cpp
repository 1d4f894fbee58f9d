// The sum of two reported intervals holds the sum of the operands.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info, sum;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        sum.bounds = a_info.bounds + b_info.bounds;
        sum.cast_to(op->type);
        if (op->type.is_int_or_uint() && sum.bounds.is_single_point()) {
            return make_const(op->type, sum.bounds.min);
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info, sum;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        sum.bounds = a_info.bounds - b_info.bounds;
        sum.cast_to(op->type);
        if (op->type.is_int_or_uint() && sum.bounds.is_single_point()) {
            return make_const(op->type, sum.bounds.min);
        }
        return Add::make(a, b);
    }
};
