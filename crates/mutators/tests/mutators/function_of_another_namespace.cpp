// A function that the files define in another namespace may be meant.
// wrong: unsupported
// profile: halide

bool mine::equal(const Expr &a, const Expr &b) {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        if (op->a.same_as(op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        if (equal(op->a, op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};
