// One argument must not move what another one uses.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Cast *op) override {
        Expr value = mutate(op->value);
        Type type = op->type;
        return Cast::make(type, std::move(value));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Cast *op) override {
        Expr value = mutate(op->value);
        return select(value.type() == op->type, std::move(value), Cast::make(op->type, value));
    }
};
