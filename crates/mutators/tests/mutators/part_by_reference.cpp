// A function changes what its parameter refers to.
// wrong: wrong

void clear(Expr &e) {
    e = make_zero(e.type());
}

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        std::vector<Expr> both = {a, b};
        clear(a);
        expr = Add::make(both[0], both[1]);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        std::vector<Expr> both = {a, b};
        clear(both[0]);
        expr = Add::make(both[0], both[1]);
    }
};
