// A value that is held for a block has its old value after it.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a, b = mutate(op->b);
        bool negated = false;
        bool inner = true;
        {
            ScopedValue<bool> old_negated(negated, inner);
            a = mutate(op->a);
        }
        if (negated) {
            return Sub::make(a, b);
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a, b = mutate(op->b);
        bool negated = false;
        bool inner = true;
        ScopedValue<bool> old_negated(negated, inner);
        a = mutate(op->a);
        if (negated) {
            return Sub::make(a, b);
        }
        return Add::make(a, b);
    }
};
