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
        Expr z = make_const(Int(32), 0);
        std::vector<Expr> v = {z};
        std::vector<Expr> w = {z};
        std::vector<Expr> x = {z};
        bool f = false;
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
