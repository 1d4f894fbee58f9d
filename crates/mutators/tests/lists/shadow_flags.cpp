// A variable of an inner block hides one that counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        bool a = false;
        bool b = false;
        bool c = false;
        bool d = false;
        for (const Expr &e : op->extents) {
            {
                bool a = false;
                bool b = false;
                bool c = false;
                bool d = false;
            }
            if (is_const(e, 1)) a = true;
            if (is_const(e, 2)) b = true;
            if (is_const(e, 3)) c = true;
            if (is_const(e, 4)) d = true;
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
        bool c = false;
        bool d = false;
        for (const Expr &e : op->extents) {
            {
                bool a = false;
                bool b = false;
                bool c = false;
                bool d = false;
            }
            if (is_const(e, 1)) a = true;
            if (is_const(e, 2)) b = true;
            if (is_const(e, 3)) c = true;
            if (is_const(e, 4)) d = true;
            extents.push_back(mutate(e));
        }
        if (a && b && c && d) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
