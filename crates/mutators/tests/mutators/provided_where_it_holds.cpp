// A function gets a value only where the predicate holds.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        Expr predicate = mutate(op->predicate);
        if (is_const_zero(predicate)) {
            return Evaluate::make(0);
        }
        return op->with(op->values, op->args, predicate);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        return op->with(op->values, op->args, const_true());
    }
};
