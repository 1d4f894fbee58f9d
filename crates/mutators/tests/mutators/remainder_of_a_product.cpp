// The remainder of a product may be a multiple of its modulus.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info, b_info, delta;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (!op->a.type().is_int_or_uint() || op->a.type().is_bool()) {
            return EQ::make(a, b);
        }
        delta.alignment = a_info.alignment - b_info.alignment;
        if (delta.alignment.remainder != 0) {
            return const_false(op->type.lanes(), info);
        }
        return EQ::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info, b_info, delta;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (!op->a.type().is_int_or_uint() || op->a.type().is_bool()) {
            return EQ::make(a, b);
        }
        delta.alignment = (a_info.alignment - b_info.alignment) * b_info.alignment;
        if (delta.alignment.remainder != 0) {
            return const_false(op->type.lanes(), info);
        }
        return EQ::make(a, b);
    }
};
