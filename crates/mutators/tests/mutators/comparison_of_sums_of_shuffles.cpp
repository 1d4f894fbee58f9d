// Expressions of known kinds may hold shuffles, which HeteroCL's `equal` does not tell apart.
// wrong: unsupported

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        const Add *a = op->a.as<Add>();
        const Add *b = op->b.as<Add>();
        if (a && b && a->a.as<Variable>() && a->b.as<Variable>() &&
            equal(op->a, op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) {
        const Add *a = op->a.as<Add>();
        const Add *b = op->b.as<Add>();
        if (a && b && a->a.as<Variable>() && equal(op->a, op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};
