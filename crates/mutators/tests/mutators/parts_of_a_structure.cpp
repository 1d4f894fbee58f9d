// The parts of a structure are declared together, in the order of its members.
// wrong: wrong

struct Parts {
    Expr first;
    Expr second;
    bool is_whole;
};

class Right : public IRMutator {
    Parts split(const Expr &a, const Expr &b) {
        return {mutate(a), mutate(b), true};
    }
    Expr visit(const Sub *op) override {
        auto [a, b, is_whole] = split(op->a, op->b);
        return is_whole ? Sub::make(a, b) : a;
    }
};

class Wrong : public IRMutator {
    Parts split(const Expr &a, const Expr &b) {
        return {mutate(a), mutate(b), true};
    }
    Expr visit(const Sub *op) override {
        auto [b, a, is_whole] = split(op->a, op->b);
        return is_whole ? Sub::make(a, b) : a;
    }
};
