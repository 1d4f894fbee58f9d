// What a loop moves is no flag.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        std::vector<Expr> extents;
        bool all = false;
        {
            int f = 0;
            for (const Expr &e : op->extents) {
                extents.push_back(mutate(e));
                f |= is_const(e, 1) ? 1 : 0;
                f |= is_const(e, 2) ? 2 : 0;
                f |= is_const(e, 3) ? 4 : 0;
                f |= is_const(e, 4) ? 8 : 0;
            }
            all = f == 15;
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        std::vector<Expr> extents;
        bool all = false;
        {
            int f = 0;
            for (const Expr &e : op->extents) {
                extents.push_back(mutate(e));
                f |= is_const(e, 1) ? 1 : 0;
                f |= is_const(e, 2) ? 2 : 0;
                f |= is_const(e, 3) ? 4 : 0;
                f |= is_const(e, 4) ? 8 : 0;
            }
            all = f == 15;
        }
        if (all) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
