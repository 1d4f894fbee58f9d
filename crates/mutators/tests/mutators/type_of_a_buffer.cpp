// A buffer of other elements is another one.
// wrong: undecided

class Right : public IRMutator {
    Stmt Mutate_(const Allocate *op, const Stmt &s) {
        Stmt body = this->Mutate(op->body);
        if (body.same_as(op->body)) {
            return s;
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body, op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Allocate *op, const Stmt &s) {
        Stmt body = this->Mutate(op->body);
        if (body.same_as(op->body)) {
            return s;
        }
        return Allocate::make(op->buffer_var, Int(8), op->extents, op->condition, body, op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
