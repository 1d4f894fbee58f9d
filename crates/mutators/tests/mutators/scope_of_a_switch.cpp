// All arms of a `switch` are one scope: a name that one declares is seen in the next.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        int steps = op->type.bits();
        switch (steps) {
            case 8: {
                int steps = 0;
                if (steps == 1) {
                    return op->a;
                }
            }
            case 16:
                if (steps == 0) {
                    return op->a;
                }
                break;
            default:
                int last = 0;
                if (last == 1) {
                    return op->a;
                }
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        int steps = op->type.bits();
        switch (steps) {
            case 8:
                int steps;
                steps = 0;
            case 16:
                if (steps == 0) {
                    return op->a;
                }
                break;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
