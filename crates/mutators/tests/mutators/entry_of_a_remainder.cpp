// The remainder in an entry must be that of the variable's value.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        if (op->value.type() == Int(32)) {
            alignment_info.push(op->name, modulus_remainder(op->value, alignment_info));
        }
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (op->value.type() == Int(32)) {
            alignment_info.pop(op->name);
        }
        expr = Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<ModulusRemainder> alignment_info;

    void visit(const Let *op) {
        if (op->value.type() == Int(32)) {
            alignment_info.push(op->name, modulus_remainder(op->value + 1, alignment_info));
        }
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (op->value.type() == Int(32)) {
            alignment_info.pop(op->name);
        }
        expr = Let::make(op->name, value, body);
    }
};
