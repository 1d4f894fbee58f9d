// A variable that was moved from holds nothing.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Expr c = std::move(a);
        a = b;
        expr = Add::make(c, a);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Expr c = std::move(a);
        expr = Add::make(a, b);
    }
};
