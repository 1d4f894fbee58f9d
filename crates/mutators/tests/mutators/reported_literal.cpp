// A literal stands for an operand whose bounds are known, and one number.
// wrong: undecided

class Right : public IRMutator {
    Expr visit(const Add *op, ExprInfo *bounds) {
        ExprInfo a_bounds, b_bounds;
        Expr a = mutate(op->a, &a_bounds);
        Expr b = mutate(op->b, &b_bounds);
        if (op->type.is_int() && op->type.bits() == 32 && a_bounds.min_defined && a_bounds.max_defined && a_bounds.min == a_bounds.max) {
            return Add::make(make_const(op->type, a_bounds.min), b);
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op, ExprInfo *bounds) {
        ExprInfo a_bounds, b_bounds;
        Expr a = mutate(op->a, &a_bounds);
        Expr b = mutate(op->b, &b_bounds);
        if (op->type.is_int() && op->type.bits() == 32 && a_bounds.min_defined && a_bounds.min == a_bounds.max) {
            return Add::make(make_const(op->type, a_bounds.min), b);
        }
        return Add::make(a, b);
    }
};
