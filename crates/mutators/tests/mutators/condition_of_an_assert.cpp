// The condition of an assert may be false after a later store.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (const AssertStmt *check = first.as<AssertStmt>()) {
            if (is_pure(check->condition)) {
                ScopedFact knowledge(this);
                knowledge.learn_true(check->condition);
                rest = knowledge.substitute_facts(rest);
            }
        }
        return Block::make(first, rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (const AssertStmt *check = first.as<AssertStmt>()) {
            ScopedFact knowledge(this);
            knowledge.learn_true(check->condition);
            rest = knowledge.substitute_facts(rest);
        }
        return Block::make(first, rest);
    }
};
