// The copy of a list is also put at the place of another one.
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
        std::vector<Expr> c;
        for (const Expr &e : op->extents) {
            c.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, c, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, c, op->is_const);
    }
};
