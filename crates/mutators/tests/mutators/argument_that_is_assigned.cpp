// A reference to what is assigned refers to the variable, which has the new value.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op) {
        Expr a = mutate(op->a), b;
        if (is_zero(b = mutate(op->b))) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op) {
        Expr a = mutate(op->a), b = op->a;
        if (is_zero(b = mutate(op->b))) {
            expr = b;
        } else {
            expr = Add::make(a, b);
        }
    }
};
