// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded
// right: bounded

bool has(const Array<Expr> &v, int k) {
    bool found = false;
    for (const Expr &e : v) {
        if (is_const(e, k)) found = true;
    }
    return found;
}

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        if (has(op->extents, 1) && has(op->extents, 2)) {
            Stmt b = mutate(op->body);
            return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, b,
                    op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        if (has(op->extents, 1) && has(op->extents, 2) && has(op->extents, 3) && has(op->extents,
                4)) {
            return Evaluate::make(0);
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};
