// Another function of the same name takes a list.
// wrong: bounded
// right: bounded

class Other : public IRVisitor {
    bool is_long(const std::vector<Expr> &v) {
        return false;
    }
};

class Right : public IRMutator {
    template<typename T> bool is_long(const T &v) {
        int n = 0;
        for (const Expr &e : v) {
            n++;
        }
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        bool x = is_long(op->extents);
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};

class Wrong : public IRMutator {
    template<typename T> bool is_long(const T &v) {
        int n = 0;
        for (const Expr &e : v) {
            n++;
        }
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        if (is_long(op->extents)) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
                op->is_const);
    }
};
