// A lambda function that another function calls runs among its own variables.
// wrong: wrong
// profile: halide

template<typename F>
void both(const Expr &a, const Expr &b, F f) {
    Expr first = b;
    f(a);
    f(b);
}

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr first, second;
        both(op->a, op->b, [this, &first, &second](const Expr &e) {
            if (first.defined()) {
                second = mutate(e);
            } else {
                first = mutate(e);
            }
        });
        return Sub::make(first, second);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr first, second;
        both(op->a, op->b, [this, &first, &second](const Expr &e) {
            if (first.defined()) {
                second = first;
            } else {
                first = mutate(e);
            }
        });
        return Sub::make(first, second);
    }
};
