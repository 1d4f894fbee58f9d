// The value of an unused binding may have effects; HeteroCL's own test misses reads of streams.
// wrong: wrong
// right: undecided

class Right : public IRMutator {
    Stmt Mutate_(const LetStmt *op, const Stmt &s) {
        Expr value = this->Mutate(op->value);
        Stmt body = this->Mutate(op->body);
        if (is_no_op(body)) {
            return HasSideEffect(value) ? Evaluate::make(value) : Evaluate::make(0);
        }
        return LetStmt::make(op->var, value, body);
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const LetStmt *op, const Stmt &s) {
        Expr value = this->Mutate(op->value);
        Stmt body = this->Mutate(op->body);
        if (is_no_op(body)) {
            return Evaluate::make(0);
        }
        return LetStmt::make(op->var, value, body);
    }
};
