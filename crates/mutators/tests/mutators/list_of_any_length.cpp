// What a loop does to each element alike, it does to lists of any length.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        bool all_kept = true;
        for (size_t i = 0; i < op->extents.size(); i++) {
            extents.push_back(mutate(op->extents[i]));
            all_kept &= extents[i].same_as(op->extents[i]);
        }
        Stmt body = mutate(op->body);
        if (all_kept && body.same_as(op->body)) {
            return op;
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, body, op->attrs,
                              op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        bool is_long = false;
        for (size_t i = 0; i < op->extents.size(); i++) {
            extents.push_back(mutate(op->extents[i]));
            if (i == 3) is_long = true;
        }
        if (is_long) {
            return Evaluate::make(0);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                              op->attrs, op->new_expr, op->free_function, op->init_values,
                              op->is_const);
    }
};
