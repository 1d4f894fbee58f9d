// A bit leaves nothing when it is divided by 1.
// wrong: wrong

class Right : public IRMutator {
    void visit(const And *op, const Expr &self) {
        Expr a = mutate(op->a), b = mutate(op->b);
        if (is_zero(b)) {
            expr = Mod::make(a, const_true(op->type.lanes()));
        } else {
            expr = And::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const And *op, const Expr &self) {
        Expr a = mutate(op->a), b = mutate(op->b);
        if (is_zero(b)) {
            expr = Div::make(a, const_true(op->type.lanes()));
        } else {
            expr = And::make(a, b);
        }
    }
};
