// One expression has more paths than are followed.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        int n = ((expr_uses_var(op->a, "x0") ? 1 : 0) + (expr_uses_var(op->a, "x1") ? 1 : 0) +
                (expr_uses_var(op->a, "x2") ? 1 : 0) + (expr_uses_var(op->a, "x3") ? 1 : 0) +
                (expr_uses_var(op->a, "x4") ? 1 : 0) + (expr_uses_var(op->a, "x5") ? 1 : 0) +
                (expr_uses_var(op->a, "x6") ? 1 : 0) + (expr_uses_var(op->a, "x7") ? 1 : 0) +
                (expr_uses_var(op->a, "x8") ? 1 : 0) + (expr_uses_var(op->a, "x9") ? 1 : 0) +
                (expr_uses_var(op->a, "x10") ? 1 : 0) + (expr_uses_var(op->a, "x11") ? 1 : 0) +
                (expr_uses_var(op->a, "x12") ? 1 : 0) + (expr_uses_var(op->a, "x13") ? 1 : 0) +
                (expr_uses_var(op->a, "x14") ? 1 : 0) + (expr_uses_var(op->a, "x15") ? 1 : 0) +
                (expr_uses_var(op->a, "x16") ? 1 : 0) + (expr_uses_var(op->a, "x17") ? 1 : 0) +
                (expr_uses_var(op->a, "x18") ? 1 : 0) + (expr_uses_var(op->a, "x19") ? 1 : 0));
        if (n == 20) {
            return op->a;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
