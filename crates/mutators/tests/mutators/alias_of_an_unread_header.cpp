// A member of a type that no given file declares may be an undefined expression.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Value saved;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (saved.defined()) {
            return op;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Value saved;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Expr other = cast(op->type, saved);
        return Sub::make(a, b);
    }
};
