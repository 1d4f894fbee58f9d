// A reference to an element changes the vector.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        std::vector<Expr> both = {a, b};
        Expr sum = make_zero(op->type);
        for (const Expr &one : both) {
            sum = sum + one;
        }
        expr = sum;
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        std::vector<Expr> both = {a, b};
        for (Expr &one : both) {
            one = make_zero(op->type);
        }
        expr = Add::make(both[0], both[1]);
    }
};
