// Another class of mutators keeps the value of what it is called with.
// wrong: undecided

class Renew : public IRMutator {
};

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        return Sub::make(Renew()(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        return Sub::make(Renew()(op->b), mutate(op->a));
    }
};
