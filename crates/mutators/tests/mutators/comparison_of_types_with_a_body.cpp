// The files may say when two types are equal.
// wrong: unsupported
// profile: halide

bool Type::operator==(const Type &other) const {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Cast *op) override {
        return Cast::make(op->type, mutate(op->value));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Cast *op) override {
        Expr value = mutate(op->value);
        if (op->type == value.type()) {
            return value;
        }
        return Cast::make(op->type, value);
    }
};
