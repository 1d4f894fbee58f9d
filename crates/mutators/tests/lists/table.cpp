// Each call of a helper moves a flag of its own, and four of them count.
// wrong: undecided
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Scope<int> marks;
    Expr visit(const IntImm *op) override {
        if (marks.contains("x")) {
            marks.pop("x");
        } else {
            marks.push("x", 1);
        }
        return op;
    }
    Stmt visit(const Provide *op) override {
        bool f = false;
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            Expr x = e;
            if (is_const(e, 5)) {
                x = mutate(e);
            }
            bool c = marks.contains(op->name);
            if (is_const(e, 6) && c) {
                f = true;
            }
            bool y = is_const(e, 7) && !c;
            args.push_back(x);
        }
        if (f) {
            return Provide::make(op->name, op->values, args);
        }
        return Provide::make(op->name, op->values, op->args);
    }
};

class Wrong : public IRMutator {
    Scope<int> marks;
    Expr visit(const IntImm *op) override {
        if (marks.contains("x")) {
            marks.pop("x");
        } else {
            marks.push("x", 1);
        }
        return op;
    }
    Stmt visit(const Provide *op) override {
        bool f = false;
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            Expr x = e;
            if (is_const(e, 5)) {
                x = mutate(e);
            }
            bool c = marks.contains(op->name);
            if (is_const(e, 6) && c) {
                f = true;
            }
            if (is_const(e, 7) && !c) {
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
