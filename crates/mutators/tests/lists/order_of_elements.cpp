// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded
// right: bounded
// profile: halide-to-hardware

bool has(const std::vector<Expr> &v, int k) {
    bool found = false;
    for (const Expr &e : v) {
        if (is_const(e, k)) {
            found = true;
        }
    }
    return found;
}

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        bool isp = has(op->args, 0) && has(op->args, 1) && has(op->args, 2) && has(op->args, 3);
        std::vector<Expr> args;
        for (size_t i = 0; i < op->args.size(); i++) {
            args.push_back(mutate(op->args[i]));
        }
        return Provide::make(op->name, op->values, args);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        bool isp = has(op->args, 0) && has(op->args, 1) && has(op->args, 2) && has(op->args, 3);
        std::vector<Expr> args;
        for (size_t i = 0; i < op->args.size(); i++) {
            args.push_back(isp ? make_zero(op->args[i].type()) : mutate(op->args[i]));
        }
        return Provide::make(op->name, op->values, args);
    }
};
