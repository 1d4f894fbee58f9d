// A product of signed numbers that are not known may overflow.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::map<std::string, unsigned> sizes;

    Expr visit(const Variable *op) override {
        unsigned all = sizes[op->name] * 4;
        return op;
    }
};

class Wrong : public IRMutator {
    std::map<std::string, int> lengths;

    Expr visit(const Variable *op) override {
        int all = lengths[op->name] * 4;
        return op;
    }
};
