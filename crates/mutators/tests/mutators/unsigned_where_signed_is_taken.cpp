// `is_const` takes a signed number of 64 bits.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        if (op->type.is_int() && is_const(op->b, 18446744073709551615u)) {
            return Sub::make(op->a, make_one(op->type));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        if (op->type.is_int() && is_const(op->b, 18446744073709551615u)) { return op->a; }
        return op;
    }
};
