// A function returns a reference to what it was given, or to a value that ends with it.
// wrong: unsupported
// profile: halide

const Expr &least(const Min *min, bool is_first) {
    const Expr &first = min->a;
    return is_first ? first : min->b;
}

const Expr &copied(Expr of) {
    return of;
}

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Min *op) override {
        return Min::make(least(op, true), least(op, false));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Min *op) override {
        return Min::make(copied(op->a), op->b);
    }
};
