// A lambda function may have the name of the analysis that tells nothing.
// wrong: undecided
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
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        alignment_info.push(op->name, modulus_remainder(op->value, alignment_info));
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        alignment_info.pop(op->name);
        expr = Let::make(op->name, value, body);
    }

    void visit(const Mod *op) {
        auto reduce_expr_modulo = [](Expr e, int m, int *r, const Scope<ModulusRemainder> &of) {
            ModulusRemainder found = modulus_remainder(e, of);
            *r = found.remainder;
            return found.modulus == m;
        };
        int remainder = 0;
        if (reduce_expr_modulo(op->a, 2, &remainder, alignment_info)) {
            remainder = 0;
        }
        expr = op;
    }
};
