// Two numbers are equal where their difference is 0, and not where it may be.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info, b_info, delta;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->a.type().is_bool()) {
            return EQ::make(a, b);
        }
        delta.bounds = a_info.bounds - b_info.bounds;
        delta.alignment = a_info.alignment - b_info.alignment;
        if (delta.bounds.is_single_point(0)) {
            return const_true(op->type.lanes(), info);
        } else if (!delta.bounds.contains(0) || delta.alignment.remainder != 0) {
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
        if (op->a.type().is_bool()) {
            return EQ::make(a, b);
        }
        delta.bounds = a_info.bounds - b_info.bounds;
        delta.alignment = a_info.alignment - b_info.alignment;
        if (delta.bounds.is_single_point(1)) {
            return const_true(op->type.lanes(), info);
        } else if (!delta.bounds.contains(0) || delta.alignment.remainder != 0) {
            return const_false(op->type.lanes(), info);
        }
        return EQ::make(a, b);
    }
};
