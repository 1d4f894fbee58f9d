// The message of an assert is the number that a pipeline returns where the assert fails.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const AssertStmt *op) override {
        return AssertStmt::make(op->condition, op->message);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const AssertStmt *op) override {
        return AssertStmt::make(op->condition, make_zero(Int(32)));
    }
};
