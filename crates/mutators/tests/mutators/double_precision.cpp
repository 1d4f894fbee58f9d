// Floats of 64 bits are mutated like those of 32 bits.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        if (op->type.is_float() && op->type.bits() == 64 && is_zero(b)) {
            return a;
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        if (op->type.is_float() && op->type.bits() == 64) {
            return a;
        }
        return Add::make(a, b);
    }
};
