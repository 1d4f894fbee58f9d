// A function is what its body does, not what its name is like.
// wrong: wrong

void maybe_swap(Expr &a, Expr &b) {
    if (is_zero(a)) {
        std::swap(a, b);
    }
}

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        swap(a, b);
        expr = Sub::make(b, a);
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        maybe_swap(a, b);
        expr = Sub::make(b, a);
    }
};
