// No way out leaves what was pushed, however rare it is.
// wrong: scope

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        values.pop(op->var.get());
        if (is_const(value, 271828)) {
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
        if (is_const(value, 271828)) {
            expr = self;
            return;
        }
        values.pop(op->var.get());
        expr = Let::make(op->var, value, body);
    }
};
