// `make` asserts that a message is of the type int32, and so does `with`.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const AssertStmt *op) override {
        return op->with(mutate(op->condition), cast(Int(32), op->message));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const AssertStmt *op) override {
        return op->with(mutate(op->condition), cast(Int(64), op->message));
    }
};
