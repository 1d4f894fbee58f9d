// A loop over something unknown may assign an expression any number of times.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    std::vector<std::pair<std::string, Expr>> known;

    Expr visit(const Add *op) override {
        Expr test = op->a <= op->b;
        for (auto [name, value] : known) {
            test = simplify(test);
        }
        if (is_const_one(test)) {
            return Add::make(op->a, op->b);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    std::vector<std::pair<std::string, Expr>> known;

    Expr visit(const Add *op) override {
        Expr result = op;
        for (auto [name, value] : known) {
            result = substitute(name, value, result);
        }
        return result;
    }
};
