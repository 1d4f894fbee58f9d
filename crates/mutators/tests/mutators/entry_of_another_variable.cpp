// The entry of a binding tells nothing about its value, but that of another variable may.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        alignment_info.push(op->name, ModulusRemainder(2, 0));
        Expr value = mutate(op->value);
        alignment_info.pop(op->name);
        Expr body = mutate(op->body);
        expr = Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        const Variable *other = op->value.as<Variable>();
        if (!other) {
            expr = op;
            return;
        }
        alignment_info.push(other->name, ModulusRemainder(2, 0));
        Expr value = mutate(op->value);
        alignment_info.pop(other->name);
        Expr body = mutate(op->body);
        expr = Let::make(op->name, value, body);
    }
};
