// A divisor that another method may have made 0.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    int step = 1;

    Expr visit(const Add *op) override {
        step = 1;
        int count = 8 / step;
        Expr a = mutate(op->a), b = mutate(op->b);
        return count > 3 ? Add::make(a, b) : Add::make(b, a);
    }

    Expr visit(const Sub *op) override {
        step = 0;
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    int step = 1;

    Expr visit(const Add *op) override {
        step = 1;
        Expr a = mutate(op->a), b = mutate(op->b);
        int count = 8 / step;
        return count > 3 ? Add::make(a, b) : Add::make(b, a);
    }

    Expr visit(const Sub *op) override {
        step = 0;
        return op;
    }
};
