// A report that was changed says nothing of the operand any more.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Max *op, ExprInfo *bounds) {
        if (op->type != Int(32)) {
            return Max::make(mutate(op->a, nullptr), mutate(op->b, nullptr));
        }
        ExprInfo a_bounds, b_bounds;
        Expr a = mutate(op->a, &a_bounds);
        Expr b = mutate(op->b, &b_bounds);
        bool is_less = a_bounds.max_defined && b_bounds.min_defined && a_bounds.max <= b_bounds.min;
        a_bounds.max -= 1;
        bool is_now = a_bounds.max_defined && b_bounds.min_defined && a_bounds.max <= b_bounds.min;
        if (is_less) {
            return b;
        }
        return Max::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op, ExprInfo *bounds) {
        if (op->type != Int(32)) {
            return Max::make(mutate(op->a, nullptr), mutate(op->b, nullptr));
        }
        ExprInfo a_bounds, b_bounds;
        Expr a = mutate(op->a, &a_bounds);
        Expr b = mutate(op->b, &b_bounds);
        bool is_less = a_bounds.max_defined && b_bounds.min_defined && a_bounds.max <= b_bounds.min;
        a_bounds.max -= 1;
        bool is_now = a_bounds.max_defined && b_bounds.min_defined && a_bounds.max <= b_bounds.min;
        if (is_now) {
            return b;
        }
        return Max::make(a, b);
    }
};
