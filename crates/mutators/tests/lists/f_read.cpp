// A loop reads a flag that it moves.
// wrong: undecided

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
        bool f = false;
        bool g = false;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            if (f && is_const(e, 2)) g = true;
            if (is_const(e, 1)) f = true;
            extents.push_back(mutate(e));
        }
        if (g) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
