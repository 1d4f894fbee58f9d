// A function of the program has the name of one of the API, and counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Expr make(Expr e, Expr &last) {
        last = e;
        return e;
    }
    Expr make(Expr e, Expr &last, int &n) {
        if (equal(last, e)) {
            n++;
        }
        last = e;
        return e;
    }
    Stmt visit(const Allocate *op) {
        Expr last = op->condition;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(make(e, last));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Expr make(Expr e, Expr &last) {
        last = e;
        return e;
    }
    Expr make(Expr e, Expr &last, int &n) {
        if (equal(last, e)) {
            n++;
        }
        last = e;
        return e;
    }
    Stmt visit(const Allocate *op) {
        Expr last = op->condition;
        int n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(make(e, last, n));
        }
        if (n == 3) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
