// A member that a method counts up has an unknown value.
// wrong: undecided

class Right : public IRMutator {
    int depth;
    Expr visit(const Sub *op) override {
        depth++;
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        depth += 1;
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    int depth;
    Expr visit(const Sub *op) override {
        depth++;
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (depth > 3) {
            return Sub::make(b, a);
        }
        return Sub::make(a, b);
    }
};
