// What is pushed where a condition holds is popped where it holds.
// wrong: scope

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        if (is_const(value)) {
            values.push(op->var.get(), value);
        }
        Expr body = mutate(op->body);
        if (is_const(value)) {
            values.pop(op->var.get());
        }
        expr = Let::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        if (is_const(value)) {
            values.push(op->var.get(), value);
        }
        Expr body = mutate(op->body);
        if (is_zero(value)) {
            values.pop(op->var.get());
        }
        expr = Let::make(op->var, value, body);
    }
};
