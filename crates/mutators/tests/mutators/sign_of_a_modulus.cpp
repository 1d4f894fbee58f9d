// Of (x * 4 + 3) * -3, the analysis reports the modulus -12.
// wrong: undecided
// profile: halide-to-hardware

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus < 0) {
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
            if (m.modulus < 0) {
                return op->b;
            }
        }
        return op;
    }
};
