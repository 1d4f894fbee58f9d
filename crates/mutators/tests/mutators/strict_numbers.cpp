// What is computed strictly has the same value.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.type().is_float()) {
            return Call::make(op->type, Call::strict_sub, {a, b}, Call::PureIntrinsic);
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.type().is_float()) {
            return Call::make(op->type, Call::strict_sub, {b, a}, Call::PureIntrinsic);
        }
        return Sub::make(a, b);
    }
};
