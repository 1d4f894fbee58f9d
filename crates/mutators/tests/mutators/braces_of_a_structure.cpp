// Braces give the members of a structure their values in order, each in the member's type.
// wrong: wrong
// profile: halide

struct Entry {
    Expr expr;
    int64_t number;
};

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Entry first = {mutate(op->a), 2};
        auto second = [&]() -> Entry { return {mutate(op->b), 1}; }();
        return first.number - second.number == 1 ? Sub::make(first.expr, second.expr) : Expr(op);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Entry first = {mutate(op->a), 2};
        auto second = [&]() -> Entry { return {mutate(op->b), 1}; }();
        return first.number - second.number == 1 ? Sub::make(second.expr, first.expr) : Expr(op);
    }
};
