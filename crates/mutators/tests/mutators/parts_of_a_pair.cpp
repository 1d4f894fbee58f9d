// The parts of a pair are declared together, in their order.
// wrong: undecided

class Right : public IRMutator {
    Stmt visit(const Realize *op) {
        auto [bounds, changed] = mutate_region(this, op->bounds);
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (!changed && body.same_as(op->body) && condition.same_as(op->condition)) {
            return op;
        }
        return op->with(bounds, condition, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Realize *op) {
        auto [changed, bounds] = mutate_region(this, op->bounds);
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (!changed && body.same_as(op->body) && condition.same_as(op->condition)) {
            return op;
        }
        return op->with(bounds, condition, body);
    }
};
