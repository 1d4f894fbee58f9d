// An arm is right only because an earlier arm took the other case.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = indeterminate_expression_error(op->type);
        } else if (equal(a, b) && op->type.bits() < 64) {
            expr = make_one(op->type);
        } else {
            expr = Div::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = indeterminate_expression_error(op->type);
        } else if (equal(a, b) && op->type.bits() < 64) {
            expr = make_zero(op->type);
        } else {
            expr = Div::make(a, b);
        }
    }
};
