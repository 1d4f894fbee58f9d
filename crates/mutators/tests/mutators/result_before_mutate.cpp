// What `mutate` returns is in the member for results too, and replaces what was there.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = Max::make(a, b);
        if (a.same_as(b)) {
            expr = a;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        expr = self;
        if (op->type.is_int()) {
            mutate(op->a);
        }
    }
};
