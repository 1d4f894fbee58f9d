// A statement that grows tells as much as a flag.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt a;
        Stmt b;
        Stmt c;
        Stmt d;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) {
                if (a.defined()) {
                    a = Block::make(a, Evaluate::make(e));
                } else {
                    a = Evaluate::make(e);
                }
            }
            if (is_const(e, 2)) {
                if (b.defined()) {
                    b = Block::make(b, Evaluate::make(e));
                } else {
                    b = Evaluate::make(e);
                }
            }
            if (is_const(e, 3)) {
                if (c.defined()) {
                    c = Block::make(c, Evaluate::make(e));
                } else {
                    c = Evaluate::make(e);
                }
            }
            if (is_const(e, 4)) {
                if (d.defined()) {
                    d = Block::make(d, Evaluate::make(e));
                } else {
                    d = Evaluate::make(e);
                }
            }
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt a;
        Stmt b;
        Stmt c;
        Stmt d;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) {
                if (a.defined()) {
                    a = Block::make(a, Evaluate::make(e));
                } else {
                    a = Evaluate::make(e);
                }
            }
            if (is_const(e, 2)) {
                if (b.defined()) {
                    b = Block::make(b, Evaluate::make(e));
                } else {
                    b = Evaluate::make(e);
                }
            }
            if (is_const(e, 3)) {
                if (c.defined()) {
                    c = Block::make(c, Evaluate::make(e));
                } else {
                    c = Evaluate::make(e);
                }
            }
            if (is_const(e, 4)) {
                if (d.defined()) {
                    d = Block::make(d, Evaluate::make(e));
                } else {
                    d = Evaluate::make(e);
                }
            }
        }
        if (a.defined()) {
            if (b.defined()) {
                if (c.defined()) {
                    if (d.defined()) {
                        return Evaluate::make(0);
                    }
                }
            }
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};
