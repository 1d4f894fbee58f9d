// An entry is there after `mutate`, and not after a `pop`.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Scope<int> known;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        known.push(op->name, 1);
        Expr body = mutate(op->body);
        int n = known.get(op->name);
        known.pop(op->name);
        return Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> other;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        other.push(op->name, 1);
        Expr body = mutate(op->body);
        other.pop(op->name);
        if (is_const(body)) {
            int n = other.get(op->name);
        }
        return Let::make(op->name, value, body);
    }
};
