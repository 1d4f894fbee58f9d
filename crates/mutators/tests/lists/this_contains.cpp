// A method of the program has the name of one that reads, and counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    int n = 0;
    bool contains(Expr e) {
        n++;
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(e);
            bool x = this->contains(e);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    int n = 0;
    bool contains(Expr e) {
        n++;
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        n = 0;
        std::vector<Expr> extents;
        bool f = false;
        for (const Expr &e : op->extents) {
            extents.push_back(e);
            if (this->contains(e)) f = true;
        }
        if (f) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
