// Orders that only C++17 promises.
// profile: heterocl

class RightIndex : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {b, b, b};
        int k = 0;
        v[k] = a;
        return Sub::make(v[0], b);
    }
};

class WrongIndex : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {b, b, b};
        int k = 0;
        auto next = [&]() { k = 1; return a; };
        v[k] = next();
        return Sub::make(v[1], b);
    }
};
