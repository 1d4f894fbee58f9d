// A pointer that two conditions assign is used under the one that set it.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Min *min_a = a.as<Min>();
        const Max *max_a = a.as<Max>();
        const Sub *sub = min_a ? min_a->a.as<Sub>() : nullptr;
        sub = max_a ? max_a->a.as<Sub>() : sub;
        if (op->type.is_int() && op->type.bits() >= 32 && min_a && sub && equal(sub->b, b)) {
            expr = mutate(Min::make(sub->a, Add::make(min_a->b, b)));
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Min *min_a = a.as<Min>();
        const Max *max_a = a.as<Max>();
        const Sub *sub = min_a ? min_a->a.as<Sub>() : nullptr;
        sub = max_a ? max_a->a.as<Sub>() : sub;
        if (op->type.is_int() && op->type.bits() >= 32 && sub && equal(sub->b, b)) {
            expr = mutate(Min::make(sub->a, Add::make(b, b)));
        } else {
            expr = Add::make(a, b);
        }
    }
};
