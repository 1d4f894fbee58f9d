// A macro with the name of a literal counts.
// wrong: unsupported
// right: unsupported

#define true (++n == 4)

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
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
            if (e.defined()) f = true;
        }
        if (!f) {
            return op;
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
