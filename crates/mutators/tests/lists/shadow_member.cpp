// A variable of an inner block hides one that counts.
// wrong: bounded
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    int n = 0;
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args;
        n = 0;
        for (const Expr &e : op->args) {
            args.push_back(e);
            if (is_const(e)) {
                int n = 1;
                n += 1;
            } else {
                n += 1;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    int n = 0;
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args;
        n = 0;
        for (const Expr &e : op->args) {
            args.push_back(e);
            if (is_const(e)) {
                int n = 1;
                n += 1;
            } else {
                n += 1;
            }
        }
        if (n > 3) {
            return Evaluate::make(0);
        }
        return op;
    }
};
