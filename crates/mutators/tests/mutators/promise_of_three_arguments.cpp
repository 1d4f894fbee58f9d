// A promise has three arguments.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::promise_clamped)) {
            Expr most = op->args[2];
            internal_assert(op->args.size() == 3);
        }
        return IRMutator::visit(op);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::promise_clamped)) {
            Expr most = op->args[3];
        }
        return IRMutator::visit(op);
    }
};
