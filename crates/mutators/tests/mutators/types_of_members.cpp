// A member takes its own type, from a list in braces and from its initial value.
// wrong: wrong
// profile: halide

struct Offset {
    Expr offset;
    int steps;
};

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        struct Limits {
            uint16_t greatest = 256;
        };
        Limits limits = Limits{};
        Offset last = {make_zero(op->type), 1};
        if (limits.greatest == 0) {
            return op->a;
        }
        return Sub::make(op->a, op->b) + last.offset;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        struct Limits {
            uint8_t greatest = 256;
        };
        Limits limits = Limits{};
        Offset last = {make_zero(op->type), 1};
        if (limits.greatest == 0) {
            return op->a;
        }
        return Sub::make(op->a, op->b) + last.offset;
    }
};
