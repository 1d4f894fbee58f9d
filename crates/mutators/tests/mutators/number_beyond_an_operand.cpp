// `max` of an expression and a number refuses a number that the type does not hold.
// wrong: rejects
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_uint() && op->type.bits() == 8) {
            return max(max(op->a, op->b), 0);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_uint() && op->type.bits() == 8) {
            Expr most = clamp(max(op->a, op->b), 256, -1);
        }
        return op;
    }
};
