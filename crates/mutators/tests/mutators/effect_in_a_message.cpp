// What is written to a log is computed.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        debug(3) << "sum of " << a << "\n";
        expr = Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        debug(3) << "sum of " << (a = b) << "\n";
        expr = Add::make(a, b);
    }
};
