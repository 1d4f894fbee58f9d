// Another method may change a container while a loop over it runs.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::vector<Expr> seen;

    Expr visit(const Add *op) override {
        bool is_seen = false;
        for (const Expr &e : seen) {
            is_seen = is_seen || e.defined();
        }
        Expr a = mutate(op->a), b = mutate(op->b);
        return is_seen ? Add::make(a, b) : Add::make(a, b);
    }

    Expr visit(const Sub *op) override {
        seen.push_back(op->a);
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    std::vector<Expr> seen;

    Expr visit(const Add *op) override {
        Expr a = op->a, b = op->b;
        for (const Expr &e : seen) {
            a = mutate(op->a);
        }
        return Add::make(a, b);
    }

    Expr visit(const Sub *op) override {
        seen.push_back(op->a);
        return op;
    }
};
