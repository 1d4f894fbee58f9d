// The `mutate` of a base of the program counts.
// wrong: bounded
// right: bounded

class Base : public IRMutator {
    public: int n = 0;
    Expr mutate(const Expr &e) {
        n++;
        return e;
    }
};

class Right : public Base {
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(Base::mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, op->body,
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public Base {
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(Base::mutate(e));
        }
        if (n == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, op->body,
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
