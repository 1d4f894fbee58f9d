// What the entries of a scope tell of a remainder is used where the remainder is known.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Scope<ModulusRemainder> alignment_info;

    Expr visit(const Mod *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const int64_t *ib = as_const_int(b);
        if (op->type == Int(32) && ib && *ib > 0 && *ib < 100) {
            ModulusRemainder mod_rem = modulus_remainder(a, alignment_info);
            if (mod_rem.modulus == *ib && mod_rem.remainder >= 0 && mod_rem.remainder < *ib) {
                return make_const(op->type, mod_rem.remainder);
            }
        }
        return Mod::make(a, b);
    }
};

class Wrong : public IRMutator {
    Scope<ModulusRemainder> alignment_info;

    Expr visit(const Mod *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const int64_t *ib = as_const_int(b);
        if (op->type == Int(32) && ib && *ib > 0 && *ib < 100) {
            ModulusRemainder mod_rem = modulus_remainder(a, alignment_info);
            if (mod_rem.modulus != *ib && mod_rem.remainder >= 0 && mod_rem.remainder < *ib) {
                return make_const(op->type, mod_rem.remainder);
            }
        }
        return Mod::make(a, b);
    }
};
