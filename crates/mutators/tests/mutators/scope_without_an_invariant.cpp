// Nothing is known about the entries of a scope that has no invariant.
// wrong: undecided

class Right : public IRMutator {
    Scope<int> seen;

    Expr visit(const Variable *op) {
        if (seen.contains(op->name)) {
            return op;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<Expr> copies;

    Expr visit(const Variable *op) {
        if (copies.contains(op->name)) {
            return copies.get(op->name);
        }
        return op;
    }
};
