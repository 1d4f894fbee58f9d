// A method of the class mutates results again, so no method may return more than it was given.
// wrong: partial

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *inner = b.as<Sub>();
        if (inner && op->type == Int(32)) {
            return mutate(Add::make(a, Sub::make(inner->b, inner->a)));
        }
        return Sub::make(a, b);
    }
    Expr visit(const Variable *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *inner = b.as<Sub>();
        if (inner && op->type == Int(32)) {
            return mutate(Add::make(a, Sub::make(inner->b, inner->a)));
        }
        return Sub::make(a, b);
    }
    Expr visit(const Variable *op) {
        return Select::make(const_true(), op, op);
    }
};
