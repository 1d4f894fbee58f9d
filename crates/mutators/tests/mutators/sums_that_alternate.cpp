// A difference may become a sum only if no sum becomes a difference of the same size.
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
    Expr visit(const Add *op) {
        return Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *inner = b.as<Sub>();
        if (inner && op->type == Int(32)) {
            return mutate(Sub::make(a, Sub::make(inner->b, inner->a)));
        }
        return Add::make(a, b);
    }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *inner = b.as<Sub>();
        if (inner && op->type == Int(32)) {
            return mutate(Add::make(a, Sub::make(inner->b, inner->a)));
        }
        return Sub::make(a, b);
    }
};
