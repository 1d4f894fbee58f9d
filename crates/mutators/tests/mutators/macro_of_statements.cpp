// A macro of statements that ends with a `return` is read as its text.
// wrong: wrong

#define RETURN_DIFFERENCE \
    Expr b = mutate(op->b); \
    return std::decay_t<decltype(*op)>::make(a, b)

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        RETURN_DIFFERENCE;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->b);
        RETURN_DIFFERENCE;
    }
};
