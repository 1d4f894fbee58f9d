// Bits that are read as two types are those of the first.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Reinterpret *op, ExprInfo *info) {
        Expr a = mutate(op->value, nullptr);
        if (const Reinterpret *inner = a.as<Reinterpret>()) {
            return reinterpret(op->type, inner->value);
        }
        if (op->type.bits() == a.type().bits() && op->type.is_int_or_uint() &&
            a.type().is_int_or_uint()) {
            return cast(op->type, a);
        }
        return reinterpret(op->type, a);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Reinterpret *op, ExprInfo *info) {
        Expr a = mutate(op->value, nullptr);
        if (const Reinterpret *inner = a.as<Reinterpret>()) {
            return cast(op->type, inner->value);
        }
        if (op->type.bits() == a.type().bits() && op->type.is_int_or_uint() &&
            a.type().is_int_or_uint()) {
            return cast(op->type, a);
        }
        return reinterpret(op->type, a);
    }
};
