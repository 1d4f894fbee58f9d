// A `let` binds a value of the type of its variable.
// wrong: crash

class Right : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr other = Let::make(op->var, value, op->body);
        expr = self;
    }
};

class Wrong : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr other = Let::make(op->var, cast(Float(64), value), op->body);
        expr = self;
    }
};
