// Of a product, the older analysis reports the remainder of the second factor.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Mod *op) {
        if (op->type == Int(32) && is_const(op->b, 4)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 4) {
                expr = Mod::make(op->a, op->b);
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Mod *op) {
        if (op->type == Int(32) && is_const(op->b, 4)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 4) {
                expr = make_const(op->type, m.remainder);
                return;
            }
        }
        expr = op;
    }
};
