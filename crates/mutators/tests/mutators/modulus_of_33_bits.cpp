// Of a product of `int32`, the analysis may report a modulus of more than 32 bits.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus > 0 && m.remainder < 0) {
                return Max::make(op->a, op->b);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus > 2147483647LL) {
                return op->b;
            }
        }
        return op;
    }
};
