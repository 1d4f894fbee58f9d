// A statement that grows tells as much as a flag.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt a;
        bool f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) {
                if (a.defined()) {
                    a = Block::make(a, Evaluate::make(e));
                } else {
                    a = Evaluate::make(e);
                }
            }
            if (is_const(e, 2)) f = true;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        Stmt a;
        Stmt b;
        bool f = false;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1)) {
                if (a.defined()) {
                    a = Block::make(a, Evaluate::make(e));
                } else {
                    a = Evaluate::make(e);
                }
            }
            if (is_const(e, 3)) {
                if (b.defined()) {
                    b = Block::make(b, Evaluate::make(e));
                } else {
                    b = Evaluate::make(e);
                }
            }
            if (is_const(e, 2)) f = true;
            extents.push_back(is_const(e, 9) ? make_zero(e.type()) : e);
        }
        if (f) {
            if (a.defined()) {
                if (b.defined()) {
                    return Allocate::make(op->buffer_var, op->type, extents, op->condition,
                            mutate(op->body), op->attrs, op->new_expr, op->free_function,
                            op->init_values, op->is_const);
                }
            }
        }
        return op;
    }
};
