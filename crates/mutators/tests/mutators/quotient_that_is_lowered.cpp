// What a quotient is lowered to is no quotient.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Div *op) override {
        if (op->type == Int(32)) {
            return lower_euclidean_div(op->a, op->b);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Div *op) override {
        if (op->type == Int(32)) {
            Expr quotient = lower_euclidean_div(op->a, op->b);
            const Div *div = quotient.as<Div>();
            return Div::make(div->a, div->b);
        }
        return op;
    }
};
