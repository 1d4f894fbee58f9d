// `cast` makes a broadcast of a broadcast.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_int() && op->type.bits() == 32) {
            Expr wide = cast(op->type.with_bits(64), op->b);
            if (wide.as<Broadcast>()) {
                return max(op->b, op->a);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_int() && op->type.bits() == 32) {
            Expr wide = cast(op->type.with_bits(64), op->b);
            if (wide.as<Broadcast>()) {
                return op->a;
            }
        }
        return op;
    }
};
