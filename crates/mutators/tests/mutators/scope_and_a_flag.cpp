// A flag says whether something was pushed.
// wrong: scope

class Right : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        bool is_pushed = false;
        if (is_const(value) && op->type.is_int()) {
            values.push(op->var.get(), value);
            is_pushed = true;
        }
        Expr body = mutate(op->body);
        if (is_pushed) {
            values.pop(op->var.get());
        }
        expr = Let::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        bool is_pushed = false;
        if (is_const(value)) {
            values.push(op->var.get(), value);
            is_pushed = op->type.is_int();
        }
        Expr body = mutate(op->body);
        if (is_pushed) {
            values.pop(op->var.get());
        }
        expr = Let::make(op->var, value, body);
    }
};
