// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) f = true;
        }
        bool g = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 2)) f = true;
        }
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(is_const(e, 9) ? make_zero(e.type()) : e);
        }
        bool h = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 3)) f = true;
        }
        if (f && g && h) {
            return Allocate::make(op->buffer_var, op->type, extents, op->condition,
                    mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                    op->is_const);
        }
        return op;
    }
};
