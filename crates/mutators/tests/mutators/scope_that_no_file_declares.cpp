// A member that no file declares, and on which something is pushed, may be a scope or anything else.
// wrong: unsupported
// right: unsupported

class Right : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        values.pop(op->var.get());
        expr = Let::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        values.push(op->var.get(), value);
        Expr body = mutate(op->body);
        expr = Let::make(op->var, value, body);
    }
};
