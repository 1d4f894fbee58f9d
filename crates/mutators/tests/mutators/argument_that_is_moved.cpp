// A variable is not used after a call that may take what it holds.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::vector<Expr> seen;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Expr copy = a;
        seen.push_back(std::move(copy));
        return Sub::make(std::move(a), std::move(b));
    }
};

class Wrong : public IRMutator {
    std::vector<Expr> seen;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        seen.push_back(std::move(a));
        return Sub::make(a, b);
    }
};
