// An operator that the files define is not that of the API.
// wrong: unsupported

Expr operator^(Expr a, Expr b) {
    return a + a;
}

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = a + b;
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = b ^ a;
    }
};
