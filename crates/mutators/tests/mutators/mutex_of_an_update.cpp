// An atomic update may need a lock.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Atomic *op) override {
        Stmt body = mutate(op->body);
        return Atomic::make(op->producer_name, op->mutex_name, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Atomic *op) override {
        Stmt body = mutate(op->body);
        return Atomic::make(op->producer_name, "", body);
    }
};
