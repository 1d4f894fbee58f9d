// Threads share some kinds of memory.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Allocate *op) override {
        Stmt body = mutate(op->body);
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition, body, op->new_expr, op->free_function, op->padding);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Allocate *op) override {
        Stmt body = mutate(op->body);
        return Allocate::make(op->name, op->type, MemoryType::Register, op->extents, op->condition, body, op->new_expr, op->free_function, op->padding);
    }
};
