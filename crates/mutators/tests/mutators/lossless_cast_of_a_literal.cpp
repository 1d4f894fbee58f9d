// `lossless_cast` need not make a `Cast` node.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr narrow = lossless_cast(Int(16), op->b);
            if (narrow.defined() && narrow.as<IntImm>()) {
                return max(op->b, op->a);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr narrow = lossless_cast(Int(16), op->b);
            if (narrow.defined() && narrow.as<IntImm>()) {
                return op->a;
            }
        }
        return op;
    }
};
