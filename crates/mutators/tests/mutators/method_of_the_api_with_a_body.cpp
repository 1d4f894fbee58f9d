// The files may say what a method of the API does.
// wrong: unsupported
// profile: halide

template<typename T>
bool IntrusivePtr<T>::same_as(const IntrusivePtr &other) const {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        if (equal(op->a, op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        if (op->a.same_as(op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};
