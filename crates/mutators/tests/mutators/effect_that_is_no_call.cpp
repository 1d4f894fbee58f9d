// `HasSideEffect` passes over reads of streams.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Evaluate *op, const Stmt &self) {
        Expr value = mutate(op->value);
        if (value.as<IntImm>() && !HasSideEffect(value)) {
            stmt = Evaluate::make(0);
            return;
        }
        stmt = Evaluate::make(value);
    }
};

class Wrong : public IRMutator {
    void visit(const Evaluate *op, const Stmt &self) {
        Expr value = mutate(op->value);
        if (value.as<StreamExpr>() && !HasSideEffect(value)) {
            stmt = Evaluate::make(0);
            return;
        }
        stmt = Evaluate::make(value);
    }
};
