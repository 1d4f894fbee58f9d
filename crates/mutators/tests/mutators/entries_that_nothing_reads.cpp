// Entries that no method relies on owe nothing, also where they may be about another variable.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        alignment_info.push(op->name, modulus_remainder(op->value, alignment_info));
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        alignment_info.pop(op->name);
        expr = Let::make(op->name, value, body);
    }

    void visit(const Mod *op) {
        int found = 0;
        if (reduce_expr_modulo(op->a, 4, &found, alignment_info)) {
            found = 0;
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> bounds_and_alignment_info;

    void visit(const Let *op) {
        bounds_and_alignment_info.push(op->name,
                                       modulus_remainder(op->value, bounds_and_alignment_info));
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        bounds_and_alignment_info.pop(op->name);
        expr = Let::make(op->name, value, body);
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
