// A function of the program has the name of one of the API, and counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    int n = 0;
    Expr move(Expr e) {
        n++;
        return e;
    }
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(move(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    int n = 0;
    Expr move(Expr e) {
        n++;
        return e;
    }
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(move(e));
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
