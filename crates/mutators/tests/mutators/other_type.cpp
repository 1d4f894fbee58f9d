// The result has the type of the input.
// wrong: crash
// profile: halide-hls

class Right : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (equal(a, b)) {
            expr = make_one(op->type);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = EQ::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (equal(a, b)) {
            expr = make_one(a.type());
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = EQ::make(a, b);
        }
    }
};
