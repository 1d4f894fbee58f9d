// A derived class may rely on entries.
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

  public:
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        alignment_info.push(op->name, modulus_remainder(op->value, alignment_info));
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        alignment_info.pop(op->name);
        expr = Let::make(op->name, value, body);
    }
};

class Derived : public Wrong {
    void visit(const Mod *op) {
        int remainder = 0;
        if (reduce_expr_modulo(op->a, 2, &remainder, alignment_info)) {
            remainder = 0;
        }
        expr = op;
    }
};
