// `with` takes operands in the order of the members.
// wrong: wrong

class Right : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        return op->with(first, rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        return op->with(rest, first);
    }
};
