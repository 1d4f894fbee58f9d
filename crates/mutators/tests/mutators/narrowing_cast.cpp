// Casts collapse only if nothing is cut off between.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Cast *op, const Expr &self) {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_int() && cast->type.is_int() && cast->value.type().is_int() && op->type.bits() <= cast->type.bits()) {
            expr = mutate(Cast::make(op->type, cast->value));
        } else if (value.same_as(op->value)) {
            expr = self;
        } else {
            expr = Cast::make(op->type, value);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Cast *op, const Expr &self) {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_int() && cast->type.is_int() && cast->value.type().is_int()) {
            expr = mutate(Cast::make(op->type, cast->value));
        } else if (value.same_as(op->value)) {
            expr = self;
        } else {
            expr = Cast::make(op->type, value);
        }
    }
};
