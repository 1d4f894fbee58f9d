// What bindings are around is not the same without them.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Evaluate *op) {
        std::vector<std::pair<std::string, Expr>> lets;
        Expr value = peel_lets(op->value, &lets);
        if (value.same_as(op->value)) {
            return op;
        }
        return Evaluate::make(op->value);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Evaluate *op) {
        std::vector<std::pair<std::string, Expr>> lets;
        Expr value = peel_lets(op->value, &lets);
        return Evaluate::make(value);
    }
};
