// An object may have the name of a function for which a contract stands.
// wrong: unsupported

struct Never {
    bool operator()(double number) const {
        return false;
    }
};

const Never isnan;

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        const FloatImm *a = op->a.as<FloatImm>();
        if (a && a->value != a->value) {
            return op;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) {
        const FloatImm *a = op->a.as<FloatImm>();
        if (a && isnan(a->value)) {
            return op;
        }
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
