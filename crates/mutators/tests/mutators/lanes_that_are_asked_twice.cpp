// The type of one value is one type, that of another value may be another.
// wrong: crash
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    Scope<int> depth;

    void visit(const Let *op) {
        if (op->value.type() == Int(32)) {
            depth.push(op->name, 0);
        }
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (op->value.type() == Int(32)) {
            depth.pop(op->name);
        }
        expr = Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<int> depth;

    void visit(const Let *op) {
        if (op->value.type() == Int(32)) {
            depth.push(op->name, 0);
        }
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (op->body.type() == Int(32)) {
            depth.pop(op->name);
        }
        expr = Let::make(op->name, value, body);
    }
};
