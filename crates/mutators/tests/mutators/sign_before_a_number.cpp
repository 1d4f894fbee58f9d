// A sign before a short number or a truth value, and its magnitude, are of type `int`.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        uint8_t count = 200;
        bool is_last = true;
        int8_t below = -100;
        auto sum = +count;
        sum = sum + 100;
        auto steps = -is_last;
        steps = steps - 1;
        auto above = std::abs(below);
        above = above + 100;
        if (sum != 300 || steps != -2 || above != 200) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        uint8_t count = 200;
        auto sum = +count;
        sum = sum + 100;
        if (sum != 44) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
