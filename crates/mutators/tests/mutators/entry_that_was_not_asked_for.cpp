// An entry that is read was asked for in the same scope.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Scope<int> first, second;

    Expr visit(const Variable *op) override {
        if (first.contains(op->name)) {
            int n = first.get(op->name);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<int> first, second;

    Expr visit(const Variable *op) override {
        if (first.contains(op->name)) {
            int n = second.get(op->name);
        }
        return op;
    }
};
