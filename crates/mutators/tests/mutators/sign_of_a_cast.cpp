// A widening cast extends by the sign of the inner type.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Cast *op, const Expr &self) {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_uint() && cast->type.is_uint() && cast->value.type().is_uint() && cast->type.bits() >= cast->value.type().bits() && !op->type.is_bool()) {
            expr = Cast::make(op->type, cast->value);
        } else {
            expr = Cast::make(op->type, value);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Cast *op, const Expr &self) {
        Expr value = mutate(op->value);
        const Cast *cast = value.as<Cast>();
        if (cast && op->type.is_uint() && cast->type.is_uint() && cast->value.type().is_int() && cast->type.bits() >= cast->value.type().bits() && !op->type.is_bool()) {
            expr = Cast::make(op->type, cast->value);
        } else {
            expr = Cast::make(op->type, value);
        }
    }
};
