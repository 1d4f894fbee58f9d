// A macro with the name of a test counts.
// wrong: bounded

#define same_as(x) same_as(++n == 4 ? Expr() : x)

class Right : public IRMutator {
    int n = 0;
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
    Stmt visit(const Allocate *op) {
        bool f = false;
        for (const Expr &e : op->extents) {
            if (!e.same_as(e)) f = true;
        }
        if (f) return Evaluate::make(0);
        return op;
    }
};
