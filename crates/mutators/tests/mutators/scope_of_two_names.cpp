// Entries that are pushed by another name are not taken to be true.
// wrong: unsupported
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;

    void visit(const Let *op) {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        expr = Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> known;
    Scope<ModulusRemainder> &bounds_and_alignment_info = known;

    void enter(const Let *op) {
        known.push(op->name, modulus_remainder(op->value, known));
    }

    void visit(const Mod *op) {
        const int64_t *modulus = as_const_int(op->b);
        ModulusRemainder found = modulus_remainder(op->a, bounds_and_alignment_info);
        if (modulus && *modulus == 2 && found.modulus == 2) {
            expr = make_const(op->type, found.remainder);
            return;
        }
        expr = op;
    }
};
