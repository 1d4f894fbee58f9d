// Of a scope from which nothing is ever popped it is not known whether it is meant to grow.
// wrong: undecided

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        values.pop(op->var.get());
        expr = Let::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        expr = Let::make(op->var, value, body);
    }
};
