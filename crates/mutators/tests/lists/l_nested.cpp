// A loop within a loop moves a flag that the outer one reads.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> c;
        bool f = false;
        for (const Expr &e : op->extents) {
            for (const Expr &d : op->init_values) {
                f |= is_const(d, 1);
            }
            c.push_back(f ? e : mutate(e));
        }
        if (f) return op;
        return Allocate::make(op->buffer_var, op->type, c, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
