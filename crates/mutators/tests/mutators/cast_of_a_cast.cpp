// Of a float, a conversion to a narrower integer does not keep what two conversions keep.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Cast *op) override {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_uint() && cast->type.is_uint() && cast->value.type().is_uint() &&
            op->type.bits() < cast->type.bits() && cast->value.type().bits() <= cast->type.bits()) {
            return Cast::make(op->type, cast->value);
        }
        return Cast::make(op->type, value);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Cast *op) override {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_uint() && cast->type.is_uint() && cast->value.type().is_float() &&
            op->type.bits() > 1 && op->type.bits() < cast->type.bits()) {
            return Cast::make(op->type, cast->value);
        }
        return Cast::make(op->type, value);
    }
};
