// A term that cancels: (x - y) + y.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *sub_a = a.as<Sub>();
        if (sub_a && equal(sub_a->b, b)) {
            expr = sub_a->a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *sub_a = a.as<Sub>();
        if (sub_a && equal(sub_a->b, b)) {
            expr = sub_a->b;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};
