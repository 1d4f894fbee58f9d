// A `let` may bind an address.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Let *op) override {
        if (op->value.type().is_handle()) {
            return Let::make(op->name, op->value, op->body);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Let *op) override {
        if (op->value.type().is_handle()) {
            return Let::make(op->name, op->value, make_zero(op->type));
        }
        return op;
    }
};
