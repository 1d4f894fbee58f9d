// C++ may evaluate arguments and operands in any order.
// wrong: unsupported

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int calls = 0;
        auto next = [&]() { return calls++ == 0 ? a : b; };
        Expr first = next();
        return Sub::make(first, next());
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int calls = 0;
        auto next = [&]() { return calls++ == 0 ? a : b; };
        return Sub::make(next(), next());
    }
};
