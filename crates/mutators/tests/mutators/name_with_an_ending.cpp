// A name with an ending may be another name of the input.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = mutate(op->a), b = mutate(op->b);
        const Variable *x = a.as<Variable>();
        if (x && x->name != x->name + "") return b;
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = mutate(op->a), b = mutate(op->b);
        const Variable *x = a.as<Variable>();
        const Variable *y = b.as<Variable>();
        if (x && y && x->name == y->name + ".max") return b;
        return Add::make(a, b);
    }
};
