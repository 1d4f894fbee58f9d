// A count that is too narrow for long lists.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> s(op->extents.size());
        for (size_t i = 0; i < op->extents.size(); i++) {
            s[i] = mutate(op->extents[i]);
        }
        return Allocate::make(op->buffer_var, op->type, s, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> s((uint8_t)op->extents.size());
        for (size_t i = 0; i < op->extents.size(); i++) {
            s[i] = mutate(op->extents[i]);
        }
        return Allocate::make(op->buffer_var, op->type, s, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
