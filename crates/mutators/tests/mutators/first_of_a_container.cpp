// The first element of a container is read where there is one.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::map<int, int> known;

    Expr visit(const Variable *op) override {
        auto it = known.begin();
        if (it != known.end()) {
            int n = it->second;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    std::map<int, int> other;

    Expr visit(const Variable *op) override {
        auto it = other.begin();
        int n = it->second;
        return op;
    }
};
