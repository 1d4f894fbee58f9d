// An operand that changes a variable may be evaluated before or after the other one.
// wrong: unsupported

class Right : public IRMutator {
    Expr take(Expr &x, const Expr &y) {
        Expr taken = x;
        x = y;
        return taken;
    }

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b), c = a;
        Expr first = take(c, b);
        return first - take(c, a);
    }
};

class Wrong : public IRMutator {
    Expr take(Expr &x, const Expr &y) {
        Expr taken = x;
        x = y;
        return taken;
    }

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b), c = a;
        return take(c, b) - take(c, a);
    }
};
