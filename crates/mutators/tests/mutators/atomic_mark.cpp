// What runs atomically stays so, unless it does nothing.
// wrong: undecided

class Right : public IRMutator {
    Stmt visit(const Atomic *op) {
        Stmt body = mutate(op->body);
        if (is_no_op(body)) {
            return Evaluate::make(0);
        }
        return op->with(body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Atomic *op) {
        return mutate(op->body);
    }
};
