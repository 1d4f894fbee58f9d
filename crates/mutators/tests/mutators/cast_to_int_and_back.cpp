// A cast to `int32` and back drops the bits of an `int64` above the lowest 32.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Cast *op) override {
        const Cast *c = op->value.as<Cast>();
        if (c && op->type == Int(32) && c->type == Int(64) && c->value.type() == Int(32)) {
            return c->value;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Cast *op) override {
        const Cast *c = op->value.as<Cast>();
        if (c && op->type == Int(64) && c->type == Int(32) && c->value.type() == Int(64)) {
            return c->value;
        }
        return op;
    }
};
