// A `mutate` of its own counts in a member.
// wrong: undecided

class Right : public IRMutator {
    int n = 0;
    Expr mutate(const Expr &e) override {
        n++;
        return IRMutator::mutate(e);
    }
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
    int n = 0;
    Expr mutate(const Expr &e) override {
        n++;
        return IRMutator::mutate(e);
    }
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        n = 0;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
