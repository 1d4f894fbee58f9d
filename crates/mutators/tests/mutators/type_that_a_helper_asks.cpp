// A function that the method calls may ask for the type of an operand's operand.
// wrong: wrong
// profile: halide

bool is_half(const Cast *cast) {
    return cast->value.type().bits() == 16;
}

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (const Cast *cast = op->a.as<Cast>()) {
            if (is_half(cast)) {
                return op->a - op->b;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (const Cast *cast = op->a.as<Cast>()) {
            if (is_half(cast)) {
                return op->b;
            }
        }
        return op;
    }
};
