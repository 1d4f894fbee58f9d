// A variable of the same name with another parameter is another variable.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        const Variable *v = op->a.as<Variable>();
        if (v) { return Add::make(op->b, op->a); }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        const Variable *v = op->a.as<Variable>();
        if (v) {
            Parameter p;
            return Add::make(op->b, Variable::make(v->type, v->name, p));
        }
        return op;
    }
};
