// What a loop moves is no flag.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(e);
        }
        std::vector<Expr> more;
        for (const Expr &e : extents) {
            more.push_back(e);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> work;
        for (const Expr &e : op->extents) {
            work.push_back(e);
        }
        for (const Expr &e : work) {
            work.push_back(e);
        }
        return op;
    }
};
