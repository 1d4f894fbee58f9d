// The parts of a tuple have the types that it names.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    std::tuple<int, Expr, Expr> counted(const Sub *op, int count) {
        return {count, mutate(op->a), mutate(op->b)};
    }

    Expr visit(const Sub *op) override {
        auto [count, a, b] = counted(op, 256);
        if (count == 0) {
            return a;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    std::tuple<uint8_t, Expr, Expr> counted(const Sub *op, int count) {
        return {count, mutate(op->a), mutate(op->b)};
    }

    Expr visit(const Sub *op) override {
        auto [count, a, b] = counted(op, 256);
        if (count == 0) {
            return a;
        }
        return Sub::make(a, b);
    }
};
