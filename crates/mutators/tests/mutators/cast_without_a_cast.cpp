// What `cast` makes need not be a `Cast` node.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr wide = cast(Int(64), op->b);
            const Cast *c = wide.as<Cast>();
            if (c) {
                return max(op->a, op->b);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr wide = cast(Int(64), op->b);
            const Cast *c = wide.as<Cast>();
            if (c->type.is_int()) {
                return max(op->a, op->b);
            }
        }
        return op;
    }
};
