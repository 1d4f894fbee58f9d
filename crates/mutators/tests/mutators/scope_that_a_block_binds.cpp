// A binding is taken back where its block ends, however it ends.
// wrong: scope

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        ScopedBinding<Expr> bind(is_const(value), values, op->var.get(), value);
        Expr body = mutate(op->body);
        if (body.same_as(op->body) && value.same_as(op->value)) {
            expr = self;
            return;
        }
        expr = Let::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        if (body.same_as(op->body) && value.same_as(op->value)) {
            expr = self;
            return;
        }
        expr = Let::make(op->var, value, body);
        values.pop(op->var.get());
    }
};
