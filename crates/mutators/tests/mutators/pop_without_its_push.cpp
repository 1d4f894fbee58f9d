// A method that pops what others push knows that it is there.
// wrong: undecided

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (values.contains(op->var.get())) {
            values.pop(op->var.get());
        }
        expr = Let::make(op->var, value, body);
    }

    void remember(const LetStmt *op) {
        values.push(op->var.get(), op->value);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        values.pop(op->var.get());
        expr = Let::make(op->var, value, body);
    }

    void remember(const LetStmt *op) {
        values.push(op->var.get(), op->value);
    }
};
