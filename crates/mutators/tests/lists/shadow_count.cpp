// A variable of an inner block hides one that counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        int n = 0;
        for (const Expr &e : op->extents) {
            {
                int n = 0;
            }
            n = n + 1;
            extents.push_back(mutate(e));
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
            {
                int n = 0;
            }
            n = n + 1;
            extents.push_back(mutate(e));
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
