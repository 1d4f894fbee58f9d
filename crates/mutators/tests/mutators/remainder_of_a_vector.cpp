// `modulus_remainder` of a vector is an error of the compiler.
// wrong: unsupported
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Max *op) {
        if (op->type.is_int() && op->type.bits() >= 32 && op->type.is_scalar()) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 0 && m.remainder == 0) {
                expr = Max::make(op->a, op->b);
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Max *op) {
        if (op->type.is_int() && op->type.bits() >= 32) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 0 && m.remainder == 0) {
                expr = Max::make(op->a, op->b);
                return;
            }
        }
        expr = op;
    }
};
