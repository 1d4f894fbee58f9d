// A loop with its condition at the end runs before it is tested.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        do {
            std::swap(a, b);
        } while (a.type().bits() == 3);
        return Add::make(a, b);
    }
    Expr visit(const Sub *op) override {
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        do {
            std::swap(a, b);
        } while (a.type().bits() == 3);
        return Sub::make(a, b);
    }
};
