// Short lists do not stand for long ones if several elements together decide something.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool has_literal = false;
        for (const Expr &extent : op->extents) {
            if (is_const(extent)) has_literal = true;
        }
        Stmt body = mutate(op->body);
        if (has_literal && body.same_as(op->body)) {
            return op;
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                              op->attrs, op->new_expr, op->free_function, op->init_values,
                              op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        bool has_one = false;
        bool has_two = false;
        bool has_three = false;
        bool has_four = false;
        for (const Expr &extent : op->extents) {
            if (is_const(extent, 1)) has_one = true;
            if (is_const(extent, 2)) has_two = true;
            if (is_const(extent, 3)) has_three = true;
            if (is_const(extent, 4)) has_four = true;
        }
        if (has_one && has_two && has_three && has_four) {
            return Evaluate::make(0);
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                              mutate(op->body), op->attrs, op->new_expr, op->free_function,
                              op->init_values, op->is_const);
    }
};
