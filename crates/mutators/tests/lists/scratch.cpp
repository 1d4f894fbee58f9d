// A list of a fixed size has places that are not the element's own.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> s(op->extents.size());
        std::vector<Expr> extents;
        for (size_t i = 0; i < op->extents.size(); i++) {
            s[i] = mutate(op->extents[i]);
            extents.push_back(s[i]);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> s(3);
        std::vector<Expr> extents;
        for (size_t i = 0; i < op->extents.size(); i++) {
            s[i] = mutate(op->extents[i]);
            extents.push_back(s[i]);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
