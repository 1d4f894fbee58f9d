// A reference to one of two variables is the variable.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        bool is_first = is_zero(b);
        const Expr &first = is_first ? a : b;
        expr = is_first ? first : Add::make(a, first);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        bool is_first = is_zero(b);
        const Expr &first = is_first ? a : b;
        a = make_zero(op->type);
        expr = is_first ? first : Add::make(op->a, first);
    }
};
