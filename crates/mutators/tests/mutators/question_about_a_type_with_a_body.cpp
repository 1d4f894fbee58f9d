// The files may say what a question about a type means.
// wrong: unsupported
// profile: halide

bool Type::is_uint() const {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        if (op->type.is_int()) {
            return op;
        }
        return Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        if (op->type.is_uint()) {
            return op;
        }
        return Add::make(mutate(op->a), mutate(op->b));
    }
};
