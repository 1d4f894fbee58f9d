// What a member of the object holds after `mutate` is what other methods left there.
// wrong: undecided

class Right : public IRMutator {
    bool is_inner;

    void visit(const Mul *op, const Expr &self) {
        bool outer = is_inner;
        is_inner = true;
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        is_inner = outer;
        expr = Mul::make(a, b);
    }
};

class Wrong : public IRMutator {
    bool is_inner;

    void visit(const Mul *op, const Expr &self) {
        is_inner = true;
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = is_inner ? Mul::make(a, b) : a;
    }
};
