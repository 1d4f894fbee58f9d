// A list of a fixed size has places that are not the element's own.
// wrong: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> s(op->args.size());
        std::vector<Expr> args;
        for (size_t i = 0; i < op->args.size(); i++) {
            s[i] = op->args[i];
            args.push_back(s[i]);
        }
        return Provide::make(op->name, op->values, args);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> s(4);
        std::vector<Expr> args;
        for (size_t i = 0; i < op->args.size(); i++) {
            s[i] = op->args[i];
            args.push_back(s[i]);
        }
        return Provide::make(op->name, op->values, args);
    }
};
