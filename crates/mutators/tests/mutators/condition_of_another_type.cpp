// `make` asserts that the condition of an allocation is of the type bool.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Allocate *op) override {
        return Allocate::make(op->name, op->type, op->memory_type, op->extents,
                              cast(Bool(), op->condition), mutate(op->body), op->new_expr,
                              op->free_function, op->padding);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Allocate *op) override {
        return Allocate::make(op->name, op->type, op->memory_type, op->extents,
                              cast(UInt(8), op->condition), mutate(op->body), op->new_expr,
                              op->free_function, op->padding);
    }
};
