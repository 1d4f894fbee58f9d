// A lambda function that a parameter holds writes to a variable of the function that calls it.
// wrong: unsupported
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

    void visit(const Mod *op) {
        expr = found(op, [](Expr e, int *r) {
            *r = 1;
            return is_one(e);
        });
    }

    Expr found(const Mod *op, std::function<bool(Expr, int *)> finds) {
        int remainder = 0;
        if (finds(op->b, &remainder)) {
            return make_const(op->type, remainder);
        }
        return op;
    }
};
