// A func may have the name of a function of C's library.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->name == "exp" && op->call_type == Call::PureExtern) return op;
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->name == "exp" && op->call_type == Call::Halide) return make_zero(op->type);
        return op;
    }
};
