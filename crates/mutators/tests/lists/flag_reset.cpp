// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) f = true;
        }
        bool a = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 2)) f = true;
        }
        bool b = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 3)) f = true;
        }
        bool c = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 4)) f = true;
        }
        Stmt body = mutate(op->body);
        if (a && b && c && f && body.same_as(op->body)) return op;
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) f = true;
        }
        bool a = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 2)) f = true;
        }
        bool b = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 3)) f = true;
        }
        bool c = f;
        f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 4)) f = true;
        }
        Stmt body = mutate(op->body);
        if (a && b && c && f) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
