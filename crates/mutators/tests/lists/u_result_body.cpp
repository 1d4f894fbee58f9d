// A `mutate` of its own returns an object that is converted.
// wrong: bounded
// right: bounded

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

struct Odd {
    Odd(Expr);
    operator Expr() {
        return ++n == 4 ? Expr(0) : Expr(n);
    }
    static int n;
};

class Wrong : public IRMutator {
    Odd mutate(const Expr &e) {
        return Odd(e);
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
