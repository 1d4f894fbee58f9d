// An allocation stays around the statements that use its buffer.
// wrong: wrong

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt body = mutate(op->body);
        if (const Block *block = body.as<Block>()) {
            if (block->first.as<Partition>()) {
                return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                                      block->rest, op->attrs, op->new_expr, op->free_function,
                                      op->init_values, op->is_const);
            }
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                              op->attrs, op->new_expr, op->free_function, op->init_values,
                              op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt body = mutate(op->body);
        if (const Block *block = body.as<Block>()) {
            if (block->first.as<Partition>()) {
                return body;
            }
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                              op->attrs, op->new_expr, op->free_function, op->init_values,
                              op->is_const);
    }
};
