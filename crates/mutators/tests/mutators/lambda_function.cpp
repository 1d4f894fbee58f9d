// A lambda function changes the variables of the function that made it.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = op->a;
        auto keep = [&](const Expr &e) {
            a = mutate(e);
        };
        keep(op->a);
        return Sub::make(a, mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = op->a;
        auto keep = [&](const Expr &e) {
            a = mutate(e);
        };
        keep(op->b);
        return Sub::make(a, mutate(op->b));
    }
};
