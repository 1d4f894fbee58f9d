// A `std::function` takes and returns what it declares, whatever the function that it holds does.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::function<int(uint16_t)> count = [&](int of) { return of; };
        std::function<Expr(const Expr &)> again = [&](const Expr &e) { return mutate(e); };
        if (count(256) == 0) {
            return op->a;
        }
        Expr a = again(op->a);
        Expr b = again(op->b);
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::function<int(uint8_t)> count = [&](int of) { return of; };
        std::function<Expr(const Expr &)> again = [&](const Expr &e) { return mutate(e); };
        if (count(256) == 0) {
            return op->a;
        }
        Expr a = again(op->a);
        Expr b = again(op->b);
        return Sub::make(a, b);
    }
};
