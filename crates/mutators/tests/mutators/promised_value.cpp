// A promise of bounds has the value of its first argument.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::promise_clamped)) {
            return mutate(op->args[0]);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::promise_clamped)) {
            return mutate(op->args[1]);
        }
        return op;
    }
};
