// A value that is bound may have lanes, and other ones than the body has.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (value.type().is_vector() && value.type().lanes() != body.type().lanes()) {
            return op;
        }
        return Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        if (value.type().is_vector() && value.type().lanes() != body.type().lanes()) {
            return body;
        }
        return Let::make(op->name, value, body);
    }
};
