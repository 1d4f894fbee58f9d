// A variable of an inner block hides one that counts.
// wrong: bounded

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

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        bool a = false;
        bool b = false;
        bool f = false;
        for (const Expr &e : op->extents) {
            {
                bool a = false;
                bool b = false;
            }
            if (a && b) f = true;
            b = a ? !b : b;
            a = !a;
            extents.push_back(mutate(e));
        }
        if (f) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
