// HeteroCL's `equal` takes all shuffles of one type for equal.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Max *op) {
        if (op->a.same_as(op->b)) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) {
        if (equal(op->a, op->b)) {
            return op->a;
        }
        return op;
    }
};
