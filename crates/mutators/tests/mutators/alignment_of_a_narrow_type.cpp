// `modulus_remainder` computes as if no number wrapped.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Mod *op) override {
        if (op->type == Int(32)) {
            ModulusRemainder of = modulus_remainder(op->a);
            if (of.modulus == 0 && of.remainder == 0) {
                return make_zero(op->type);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mod *op) override {
        if (op->type == Int(8)) {
            ModulusRemainder of = modulus_remainder(op->a);
            if (of.modulus == 0 && of.remainder == 0) {
                return make_zero(op->type);
            }
        }
        return op;
    }
};
