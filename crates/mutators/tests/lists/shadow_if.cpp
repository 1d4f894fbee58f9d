// A variable of an inner block hides one that counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        int n = 0;
        for (const Expr &e : op->extents) {
            Expr m = mutate(e);
            if (is_const(m)) {
                int n = 1;
                n = 2;
            }
            n += 1;
            extents.push_back(m);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        int n = 0;
        for (const Expr &e : op->extents) {
            Expr m = mutate(e);
            if (is_const(m)) {
                int n = 1;
                n = 2;
            }
            n += 1;
            extents.push_back(m);
        }
        if (n > 3) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
