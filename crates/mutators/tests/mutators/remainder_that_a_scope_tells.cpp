// What the entries of a scope tell of a remainder is used where the remainder is known.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    Scope<ModulusRemainder> alignment_info;

    void visit(const Mod *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const int64_t *ib = as_const_int(b);
        if (op->type == Int(32) && ib && *ib > 0 && *ib < 100) {
            ModulusRemainder mod_rem = modulus_remainder(a, alignment_info);
            if (mod_rem.modulus == *ib) {
                expr = make_const(op->type, mod_rem.remainder);
                return;
            }
        }
        expr = Mod::make(a, b);
    }
};

class Wrong : public IRMutator {
    Scope<ModulusRemainder> alignment_info;

    void visit(const Mod *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const int64_t *ib = as_const_int(b);
        if (op->type == Int(32) && ib && *ib > 0 && *ib < 100) {
            ModulusRemainder mod_rem = modulus_remainder(a, alignment_info);
            if (mod_rem.modulus != *ib) {
                expr = make_const(op->type, mod_rem.remainder);
                return;
            }
        }
        expr = Mod::make(a, b);
    }
};
