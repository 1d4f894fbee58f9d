// A write to a function has a value.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        Stmt s = Provide::make(op->name, op->values, op->args, op->predicate);
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        Stmt s = Provide::make(op->name, {}, op->args, op->predicate);
        return op;
    }
};
