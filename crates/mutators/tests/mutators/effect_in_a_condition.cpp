// What has effects is evaluated as it was, not where nothing with effects may stand.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const Evaluate *op, const Stmt &s) {
        return Block::make(Evaluate::make(op->value), Evaluate::make(0));
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Evaluate *op, const Stmt &s) {
        return IfThenElse::make(EQ::make(op->value, 0), Evaluate::make(0));
    }
};
