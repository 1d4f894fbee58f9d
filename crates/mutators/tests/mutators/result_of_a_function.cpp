// The result of a `std::function` has the type that it declares.
// wrong: type
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::function<Expr(int)> offset = [&](int of) { return make_const(op->type, of); };
        return Sub::make(op->a, op->b) + offset(0);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::function<Expr(int)> offset = [&](int of) { return of; };
        return Sub::make(op->a, op->b) + offset(0);
    }
};
