// C++ may evaluate arguments in any order, also those that push on scopes and pop from them.
// wrong: unsupported

class Right : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr enter(const And *op) {
        truths.insert(op->a);
        return op->a;
    }

    Expr leave(const And *op) {
        Expr b = mutate(op->b);
        truths.erase(op->a);
        return b;
    }

    Expr visit(const And *op) {
        Expr a = enter(op);
        Expr b = leave(op);
        return And::make(a, b);
    }
};

class Wrong : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr enter(const And *op) {
        truths.insert(op->a);
        return op->a;
    }

    Expr leave(const And *op) {
        Expr b = mutate(op->b);
        truths.erase(op->a);
        return b;
    }

    Expr visit(const And *op) {
        return And::make(enter(op), leave(op));
    }
};
