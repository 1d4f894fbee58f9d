// A parameter that is no reference takes what is moved to it.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    void look(Expr value) {
    }

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        look(a);
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    void note(Expr value) {
    }

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        note(std::move(a));
        return Sub::make(a, b);
    }
};
