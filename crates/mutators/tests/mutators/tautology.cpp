// x or not x.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Or *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Not *not_b = b.as<Not>();
        if (not_b && equal(not_b->a, a)) {
            expr = make_one(op->type);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Or::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Or *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Not *not_b = b.as<Not>();
        if (not_b && equal(not_b->a, a)) {
            expr = a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Or::make(a, b);
        }
    }
};
