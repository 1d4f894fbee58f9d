// An assert that holds may go, one that does not may not.
// wrong: wrong

class Right : public IRMutator {
    void visit(const AssertStmt *op, const Stmt &self) {
        Expr condition = mutate(op->condition);
        Expr message = mutate(op->message);
        Stmt body = mutate(op->body);
        if (is_one(condition)) {
            stmt = body.defined() ? body : Evaluate::make(0);
        } else {
            stmt = AssertStmt::make(condition, message, body);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const AssertStmt *op, const Stmt &self) {
        Expr condition = mutate(op->condition);
        Expr message = mutate(op->message);
        Stmt body = mutate(op->body);
        if (is_zero(condition)) {
            stmt = body.defined() ? body : Evaluate::make(0);
        } else {
            stmt = AssertStmt::make(condition, message, body);
        }
    }
};
