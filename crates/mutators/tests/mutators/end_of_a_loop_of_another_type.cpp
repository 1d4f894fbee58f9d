// `make` asserts that the ends of a loop are of the type int32.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min), max = mutate(op->max);
        return For::make(op->name, cast(Int(32), min), max, op->for_type, op->partition_policy,
                         op->device_api, mutate(op->body));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min), max = mutate(op->max);
        return For::make(op->name, cast(Int(64), min), max, op->for_type, op->partition_policy,
                         op->device_api, mutate(op->body));
    }
};
