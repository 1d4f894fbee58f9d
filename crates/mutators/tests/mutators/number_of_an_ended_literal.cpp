// A number is read from a literal after the variable that held the literal was assigned.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Add *op) override {
        Expr lhs = mutate(op->a);
        Expr rhs = mutate(op->b);
        const int64_t *number = as_const_int(rhs);
        if (number && *number == 0) {
            rhs = op->b;
            return lhs;
        }
        return Add::make(lhs, rhs);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Add *op) override {
        Expr lhs = mutate(op->a);
        Expr rhs = mutate(op->b);
        const int64_t *number = as_const_int(rhs);
        if (number) {
            rhs = op->b;
            if (*number == 0) {
                return lhs;
            }
        }
        return Add::make(lhs, rhs);
    }
};
