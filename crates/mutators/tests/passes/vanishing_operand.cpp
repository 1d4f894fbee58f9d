// An operator has no value where an operand has none, and otherwise keeps its value.
// pass: RemoveUndef

class Right : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        if (!a.defined()) {
            return Expr();
        }
        Expr b = mutate(op->b);
        if (!b.defined()) {
            return Expr();
        }
        if (a.same_as(op->a) && b.same_as(op->b)) {
            return op;
        }
        return Sub::make(a, b);
    }
};

class WrongAlwaysNothing : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        return Expr();
    }
};

class WrongOtherOperand : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (!a.defined() || !b.defined()) {
            return a.defined() ? a : b;
        }
        return Sub::make(a, b);
    }
};

class WrongOrder : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (!a.defined() || !b.defined()) {
            return Expr();
        }
        return Sub::make(b, a);
    }
};

class WrongOperandThatIsLeft : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        if (!a.defined()) {
            return Expr();
        }
        return Sub::make(a, op->b);
    }
};

class WrongGuard : public IRMutator {
    Expr predicate;

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        predicate = Expr();
        Expr b = mutate(op->b);
        if (!a.defined() || !b.defined()) {
            return Expr();
        }
        return Sub::make(a, b);
    }
};
