// An attribute more changes nothing that is computed; another body does.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Allocate *op, const Stmt &self) {
        Stmt body = mutate(op->body);
        Array<Stmt> attrs = op->attrs;
        attrs.push_back(op->body);
        stmt = Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body, attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class Wrong : public IRMutator {
    void visit(const Allocate *op, const Stmt &self) {
        Stmt body = mutate(op->body);
        Array<Stmt> attrs = op->attrs;
        attrs.push_back(op->body);
        stmt = Allocate::make(op->buffer_var, op->type, op->extents, op->condition, Evaluate::make(1), attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
