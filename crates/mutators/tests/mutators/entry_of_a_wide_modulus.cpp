// A modulus that is wider than `int` is cut where it is kept, and another one is found.
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
        const IntImm *c = op->value.as<IntImm>();
        Expr value = mutate(op->value);
        if (op->value.type() == Int(32) && c && c->value == 3) {
            int64_t m = 5794967296;
            alignment_info.push(op->name, ModulusRemainder(m, m + m + 3));
            Expr body = mutate(op->body);
            alignment_info.pop(op->name);
            expr = Let::make(op->name, value, body);
            return;
        }
        Expr body = mutate(op->body);
        expr = Let::make(op->name, value, body);
    }
};
