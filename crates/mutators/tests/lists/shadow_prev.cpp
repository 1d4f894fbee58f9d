// A variable of an inner block hides one that counts.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            Expr m = mutate(e);
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
        bool f = false;
        for (const Expr &e : op->extents) {
            {
                int n = 0;
            }
            n = is_const(e, 1) ? 1 : n == 1 && is_const(e, 2) ? 2 : n == 2 && is_const(e,
                    3) ? 3 : n == 3 && is_const(e, 4) ? 4 : n;
            extents.push_back(mutate(e));
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
