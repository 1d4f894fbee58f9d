// A truth value in a variable, a parameter or a member of another type is a number of that type.
// wrong: wrong
// profile: halide

struct Weights {
    double first;
    int count;
};

class Right : public IRMutator {
    using IRMutator::visit;

    double twice(double of) {
        return of * 2;
    }

    Expr visit(const Sub *op) override {
        bool is_last = true;
        double part = is_last;
        part = part * 3;
        Weights weights = {is_last, 1};
        if (part != 3 || weights.first * 2 != 2 || twice(true) == twice(false)) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    double twice(double of) {
        return of * 2;
    }

    Expr visit(const Sub *op) override {
        bool is_last = true;
        Weights weights = {is_last, 1};
        if (weights.first * 2 == 2 && twice(is_last) != twice(false)) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
