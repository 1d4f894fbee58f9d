// A lambda function has the name of a function of the API, and counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        auto equal = [&](Expr e, Expr d) {
            n++;
            return true;
        };
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
            bool x = equal(e, e);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        auto equal = [&](Expr e, Expr d) {
            n++;
            return true;
        };
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
            bool x = equal(e, e);
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
