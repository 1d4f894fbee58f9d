// What is told of a variable must hold wherever its name may be asked for.
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
        alignment_info.push(op->name, ModulusRemainder(2, 0));
        Expr value = mutate(op->value);
        alignment_info.pop(op->name);
        Expr body = mutate(op->body);
        expr = Let::make(op->name, value, body);
    }
};
