// A macro in a condition adds a test of the size.
// wrong: unsupported

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
#define MORE || extents.size() == 4 && (op = 0)

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            Expr x = mutate(e);
            if (!x.same_as(e)) f = true;
            extents.push_back(x);
        }
        if (!f MORE) return op;
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
