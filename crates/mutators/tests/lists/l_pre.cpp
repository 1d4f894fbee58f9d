// The body of a loop moves the counter.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> c(op->extents.size());
        for (size_t i = 0; i < op->extents.size(); ++i) {
            c[i] = mutate(op->extents[i]);
            if (i == 2) ++i;
        }
        return Allocate::make(op->buffer_var, op->type, c, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
