// `with` keeps the function that is called, and replaces its arguments in their order.
// wrong: undecided
// right: bounded
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
        }
        return op->with(args);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
        }
        if (args.size() == 2) {
            args.back() = args.front();
        }
        return op->with(args);
    }
};
