// Another method may reset a value that is optional.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::optional<int> depth;

    Expr visit(const Add *op) override {
        depth = 1;
        Expr a = mutate(op->a), b = mutate(op->b);
        return depth.has_value() ? Add::make(a, b) : Add::make(a, b);
    }

    Expr visit(const Sub *op) override {
        depth.reset();
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    std::optional<int> depth;

    Expr visit(const Add *op) override {
        depth = 1;
        Expr a = mutate(op->a), b = mutate(op->b);
        int held = *depth;
        return held > 3 ? Add::make(a, b) : Add::make(a, b);
    }

    Expr visit(const Sub *op) override {
        depth.reset();
        return op;
    }
};
