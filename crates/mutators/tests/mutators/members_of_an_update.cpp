// The members of an update that are only compared are not the same.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Atomic *op) override {
        return Atomic::make(op->producer_name, op->mutex_name, mutate(op->body));
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Atomic *op) override {
        return Atomic::make(op->mutex_name, op->producer_name, mutate(op->body));
    }
};
