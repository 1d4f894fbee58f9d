// A quotient that may be anything where the divisor is 0 equals one that is undefined there.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Div *op) override {
        return Call::make(op->type, Call::quiet_div, {mutate(op->a), mutate(op->b)},
                          Call::PureIntrinsic);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Div *op) override {
        return Call::make(op->type, Call::quiet_mod, {mutate(op->a), mutate(op->b)},
                          Call::PureIntrinsic);
    }
};
