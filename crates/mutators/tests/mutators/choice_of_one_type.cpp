// Two sides of one type are not promoted, and a truth value beside a number becomes a number.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        bool is_last = true;
        auto steps = is_zero(op->b) ? is_last : 0;
        steps = steps + 1;
        uint8_t first = 200, second = 201;
        auto count = is_zero(op->a) ? first : second;
        count = count + 100;
        if (count > 100 || steps > 2) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        bool is_last = true;
        auto steps = is_zero(op->b) ? is_last : 0;
        steps = steps + 1;
        uint8_t first = 200, second = 201;
        auto count = is_zero(op->a) ? first : second;
        count = count + 100;
        if (count < 45 || steps > 2) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
