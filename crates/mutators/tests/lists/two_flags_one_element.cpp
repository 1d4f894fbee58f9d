// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded

bool has(const Array<Expr> &v, int k) {
    bool found = false;
    for (const Expr &e : v) {
        if (is_const(e, k)) found = true;
    }
    return found;
}

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(e);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(is_const(e, 9) ? make_zero(e.type()) : e);
        }
        if (has(op->extents, 1) && has(op->extents, 2) && has(op->extents, 3)) {
            return Allocate::make(op->buffer_var, op->type, extents, op->condition,
                    mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                    op->is_const);
        }
        return op;
    }
};
