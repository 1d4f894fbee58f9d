// A lambda function has the name of a function of the API, and counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        auto with = [&](const std::vector<Expr> &v) {
            return v.size() == 4;
        };
        bool x = with(op->extents);
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        auto with = [&](const std::vector<Expr> &v) {
            return v.size() == 4;
        };
        if (with(op->extents)) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};
