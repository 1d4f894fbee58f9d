// A helper that is interpreted from its source.
// wrong: wrong
// right: partial
// profile: halide-hls

bool has_factor(const Expr &e, const Expr &f) {
    const Mul *mul = e.as<Mul>();
    return mul && equal(mul->b, f);
}

Expr factor(const Expr &e) {
    const Mul *mul = e.as<Mul>();
    if (!mul) return Expr();
    return mul->a;
}

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (has_factor(a, b)) {
            expr = mutate(factor(a) * (b * b));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mul::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (has_factor(a, b)) {
            expr = mutate(factor(a) * b);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mul::make(a, b);
        }
    }
};
