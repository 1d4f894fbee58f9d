// An assert that holds on every path, and one that an input reaches.
// wrong: crash

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        internal_assert(a.type() == b.type()) << "types differ\n";
        expr = Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        internal_assert(!is_zero(b)) << "zero\n";
        expr = Sub::make(a, b);
    }
};
