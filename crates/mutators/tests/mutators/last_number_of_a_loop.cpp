// A loop ends with the number `max`, so it has one iteration if that is `min`.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min);
        Expr max = mutate(op->max);
        Stmt body = mutate(op->body);
        if (equal(min, max)) {
            return LetStmt::make(op->name, min, body);
        }
        return op->with(min, max, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min);
        Expr max = mutate(op->max);
        Stmt body = mutate(op->body);
        if (is_const_one(max)) {
            return LetStmt::make(op->name, min, body);
        }
        return op->with(min, max, body);
    }
};
