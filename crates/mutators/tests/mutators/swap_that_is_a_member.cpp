// A member may have the name of a function of the library.
// wrong: unsupported

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        swap(a, b);
        return Sub::make(b, a);
    }
};

class Wrong : public IRMutator {
    std::function<void(Expr &, Expr &)> swap;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        swap(a, b);
        return Sub::make(b, a);
    }
};
