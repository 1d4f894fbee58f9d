// A class of the program has a method with the name of a function of the API.
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

struct Odd {
    bool is_const(Expr e, int k) {
        return ++n % 8 == 7;
    }
    int n = 0;
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool f = false;
        for (const Expr &e : op->extents) {
            if (is_const(e, 1) && !is_const(e, 1)) f = true;
        }
        if (f) return Evaluate::make(0);
        return op;
    }
};
