// The negation of `<` is `>=` with the same operands.
// wrong: wrong
// right: partial

class Right : public IRMutator {
    void visit(const Not *op, const Expr &self) {
        Expr a = mutate(op->a);
        if (const LT *lt = a.as<LT>()) {
            expr = mutate(lt->b <= lt->a);
        } else if (a.same_as(op->a)) {
            expr = self;
        } else {
            expr = Not::make(a);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Not *op, const Expr &self) {
        Expr a = mutate(op->a);
        if (const LT *lt = a.as<LT>()) {
            expr = mutate(lt->b < lt->a);
        } else if (a.same_as(op->a)) {
            expr = self;
        } else {
            expr = Not::make(a);
        }
    }
};
