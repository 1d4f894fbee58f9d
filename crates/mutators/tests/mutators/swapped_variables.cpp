// std::swap of the operands of what commutes, and of what does not.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_const(a) && !is_const(b)) {
            std::swap(a, b);
        }
        expr = Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_const(a) && !is_const(b)) {
            std::swap(a, b);
            expr = Sub::make(a, b);
        } else {
            expr = Add::make(a, b);
        }
    }
};
