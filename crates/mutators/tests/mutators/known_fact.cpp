// What is among the facts of a scope holds there.
// wrong: undecided

class Right : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        if (truths.count(op)) {
            expr = const_true(op->type.lanes());
        } else if (falsehoods.count(op)) {
            expr = const_false(op->type.lanes());
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        if (truths.count(op)) {
            expr = const_false(op->type.lanes());
        } else if (falsehoods.count(op)) {
            expr = const_false(op->type.lanes());
        } else {
            expr = self;
        }
    }
};
