// A kernel that is called again may return something else.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const LetStmt *op, const Stmt &self) {
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        const LetStmt *inner = body.as<LetStmt>();
        if (inner && value.as<KernelExpr>() && inner->value.as<KernelExpr>()) {
            Stmt rest = LetStmt::make(inner->var, inner->value, inner->body);
            stmt = LetStmt::make(op->var, value, rest);
            return;
        }
        stmt = LetStmt::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    void visit(const LetStmt *op, const Stmt &self) {
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        const LetStmt *inner = body.as<LetStmt>();
        if (inner && value.as<KernelExpr>() && inner->value.as<KernelExpr>() &&
            equal(value, inner->value)) {
            Stmt rest = LetStmt::make(inner->var, op->var, inner->body);
            stmt = LetStmt::make(op->var, value, Block::make(Evaluate::make(inner->value), rest));
            return;
        }
        stmt = LetStmt::make(op->var, value, body);
    }
};
