// The files may say what a question about a report means.
// wrong: unsupported
// profile: halide

bool ConstantInterval::is_single_point() const {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        ExprInfo info;
        Expr a = mutate(op->a, &info);
        Expr b = mutate(op->b);
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        ExprInfo info;
        Expr a = mutate(op->a, &info);
        Expr b = mutate(op->b);
        if (info.bounds.is_single_point()) {
            return Add::make(make_const(op->type, info.bounds.min), b);
        }
        return Add::make(a, b);
    }
};
