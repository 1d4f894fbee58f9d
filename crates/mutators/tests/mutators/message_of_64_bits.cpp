// A message is an `int32` or a text.
// wrong: crash

class Right : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr other = Let::make(op->var, value, op->body);
        expr = self;
    }
};

class Wrong : public IRMutator {
    void visit(const AssertStmt *op, const Stmt &self) {
        Stmt s = AssertStmt::make(op->condition, make_zero(Int(64)), op->body);
        stmt = self;
    }
};
