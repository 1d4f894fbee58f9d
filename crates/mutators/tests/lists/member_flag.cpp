// Each call of a helper moves a flag of its own, and four of them count.
// wrong: undecided
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    bool p = false;
    bool q = false;
    Expr visit(const IntImm *op) {
        if (p) {
            p = false;
            q = true;
        } else {
            p = true;
            q = false;
        }
        return op;
    }
    Stmt visit(const Provide *op) override {
        p = false;
        q = false;
        bool f = false;
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            Expr x = e;
            if (is_const(e, 5)) {
                x = mutate(e);
            }
            if (is_const(e, 6) && p && !q) {
                f = true;
            }
            bool y = is_const(e, 7) && !p && q;
            args.push_back(x);
        }
        if (f) {
            return Provide::make(op->name, op->values, args);
        }
        return Provide::make(op->name, op->values, op->args);
    }
};

class Wrong : public IRMutator {
    bool p = false;
    bool q = false;
    Expr visit(const IntImm *op) {
        if (p) {
            p = false;
            q = true;
        } else {
            p = true;
            q = false;
        }
        return op;
    }
    Stmt visit(const Provide *op) override {
        p = false;
        q = false;
        bool f = false;
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            Expr x = e;
            if (is_const(e, 5)) {
                x = mutate(e);
            }
            if (is_const(e, 6) && p && !q) {
                f = true;
            }
            if (is_const(e, 7) && !p && q) {
                x = make_zero(e.type());
            }
            args.push_back(x);
        }
        if (f) {
            return Provide::make(op->name, op->values, args);
        }
        return Provide::make(op->name, op->values, op->args);
    }
};
