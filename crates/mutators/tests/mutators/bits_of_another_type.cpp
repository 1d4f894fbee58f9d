// The bits of one number, read as another type, are those of one number alone.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Reinterpret *op) override {
        Expr value = mutate(op->value);
        return Reinterpret::make(op->type, std::move(value));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Reinterpret *op) override {
        Expr value = mutate(op->value);
        return Reinterpret::make(op->type, value + value);
    }
};
