// A copy that is read at its own place, as older base classes mutate extents.
// wrong: bounded
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Allocate *op) override {
        std::vector<Expr> new_extents;
        bool all_extents_unmodified = true;
        for (size_t i = 0; i < op->extents.size(); i++) {
            new_extents.push_back(mutate(op->extents[i]));
            all_extents_unmodified &= new_extents[i].same_as(op->extents[i]);
        }
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        Expr new_expr;
        if (op->new_expr.defined()) {
            new_expr = mutate(op->new_expr);
        }
        if (all_extents_unmodified && body.same_as(op->body) && condition.same_as(op->condition) &&
            new_expr.same_as(op->new_expr)) {
            return op;
        }
        return Allocate::make(op->name, op->type, op->memory_type, new_extents, condition, body,
                              new_expr, op->free_function, op->padding);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) override {
        std::vector<Expr> new_extents;
        bool all_extents_unmodified = true;
        for (size_t i = 0; i < op->extents.size(); i++) {
            new_extents.push_back(mutate(op->extents[i == 3 ? 0 : i]));
            all_extents_unmodified &= i == 3 || new_extents[i].same_as(op->extents[i]);
        }
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        Expr new_expr;
        if (op->new_expr.defined()) {
            new_expr = mutate(op->new_expr);
        }
        if (all_extents_unmodified && body.same_as(op->body) && condition.same_as(op->condition) &&
            new_expr.same_as(op->new_expr)) {
            return op;
        }
        return Allocate::make(op->name, op->type, op->memory_type, new_extents, condition, body,
                              new_expr, op->free_function, op->padding);
    }
};
