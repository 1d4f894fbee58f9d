// A bound value is put in its place if it is the same wherever that is.
// wrong: wrong

class Right : public IRMutator {
    void visit(const LetStmt *op, const Stmt &self) {
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        if (is_const(value)) {
            stmt = substitute(op->var, value, body);
        } else {
            stmt = LetStmt::make(op->var, value, body);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const LetStmt *op, const Stmt &self) {
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        if (!HasSideEffect(value)) {
            stmt = substitute(op->var, value, body);
        } else {
            stmt = LetStmt::make(op->var, value, body);
        }
    }
};
