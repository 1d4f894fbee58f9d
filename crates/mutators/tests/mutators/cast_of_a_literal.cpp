// `cast` makes a literal of a literal.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr wide = cast(Int(64), op->b);
            if (wide.as<IntImm>()) {
                return max(op->b, op->a);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type == Int(32)) {
            Expr wide = cast(Int(64), op->b);
            if (wide.as<IntImm>()) {
                return op->a;
            }
        }
        return op;
    }
};
