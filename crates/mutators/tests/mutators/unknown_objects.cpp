// What an object of the compiler answers is not known, so both answers must be right.
// wrong: undecided

class Right : public IRMutator {
    const Function &func;
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (func.is_wrapper() || func.name() == "f") {
            return Sub::make(a, b);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    const Function &func;
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (func.is_wrapper() || func.name() == "f") {
            return Sub::make(b, a);
        }
        return op;
    }
};
