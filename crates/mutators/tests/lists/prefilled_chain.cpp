// A list that is not empty before the loop has other elements at the own place.
// wrong: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> v;
        bool f = false;
        bool g = false;
        for (const Expr &e : op->values) {
            v.push_back(make_const(Int(32), 5));
        }
        std::vector<Expr> w;
        for (const Expr &e : op->values) {
            w.push_back(make_const(Int(32), 5));
        }
        std::vector<Expr> x;
        for (const Expr &e : op->values) {
            x.push_back(make_const(Int(32), 5));
        }
        for (size_t i = 0; i < op->args.size(); i++) {
            v.push_back(is_const(op->args[i], 1) ? make_const(Int(32), 1) : make_const(Int(32), 0));
            w.push_back(is_const(op->args[i], 2) && is_const(v[i], 1) ? make_const(Int(32), 1) :
                    make_const(Int(32), 0));
            x.push_back(is_const(op->args[i], 3) && is_const(w[i], 1) ? make_const(Int(32), 1) :
                    make_const(Int(32), 0));
            if (is_const(op->args[i], 4) && is_const(x[i], 1)) {
                f = true;
            }
        }
        if (f) {
            return Evaluate::make(0);
        }
        return op;
    }
};
