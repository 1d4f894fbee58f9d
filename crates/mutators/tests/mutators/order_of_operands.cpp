// Operands may be ordered by their kinds where the operation commutes.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (should_commute(a, b)) {
            std::swap(a, b);
        }
        expr = Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (should_commute(a, b)) {
            std::swap(a, b);
        }
        expr = Sub::make(a, b);
    }
};
