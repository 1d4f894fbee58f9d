// A member that no method assigns comes from outside; one that a method assigns is undefined first.
// wrong: crash
// right: undecided

class Right : public IRMutator {
    Expr fact;

    Right(Expr f)
        : fact(f) {
    }

    Expr visit(const Not *op) {
        if (fact.type() == op->type && equal(fact, op->a)) {
            return op;
        }
        return IRMutator::visit(op);
    }
};

class Wrong : public IRMutator {
    Expr last;

    Expr visit(const Not *op) {
        if (last.type() == op->type && equal(last, op->a)) {
            return op;
        }
        last = op->a;
        return IRMutator::visit(op);
    }
};
