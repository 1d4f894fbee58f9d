// A call of one of some intrinsics is known to call one of them.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        if (const Call *tag = Call::as_intrinsic(a, {Call::likely, Call::likely_if_innermost})) {
            a = tag->args[0];
        }
        return Sub::make(a, mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        if (const Call *tag = Call::as_intrinsic(a, {Call::likely, Call::abs})) {
            a = tag->args[0];
        }
        return Sub::make(a, mutate(op->b));
    }
};
