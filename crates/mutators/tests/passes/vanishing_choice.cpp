// A choice of which one operand vanishes has the other one's value, where the condition chooses it.
// pass: RemoveUndef

class Right : public IRMutator {
    Expr predicate;

    Expr visit(const Select *op) {
        Expr cond = mutate(op->condition);
        Expr before = predicate;
        predicate = Expr();
        Expr t = mutate(op->true_value);
        Expr of_t = predicate;
        predicate = Expr();
        Expr f = mutate(op->false_value);
        Expr of_f = predicate;
        if (!cond.defined()) {
            return Expr();
        }
        if (!t.defined() && !f.defined()) {
            return Expr();
        }
        if (!f.defined()) {
            predicate = cond;
            if (before.defined()) {
                predicate = predicate && before;
            }
            if (of_t.defined()) {
                predicate = predicate && of_t;
            }
            return t;
        }
        if (!t.defined()) {
            predicate = !cond;
            if (before.defined()) {
                predicate = predicate && before;
            }
            if (of_f.defined()) {
                predicate = predicate && of_f;
            }
            return f;
        }
        predicate = before;
        if (of_t.defined()) {
            Expr needed = !cond || of_t;
            predicate = predicate.defined() ? predicate && needed : needed;
        }
        if (of_f.defined()) {
            Expr needed = cond || of_f;
            predicate = predicate.defined() ? predicate && needed : needed;
        }
        return Select::make(cond, t, f);
    }
};

class WrongWithoutTheCondition : public IRMutator {
    Expr predicate;

    Expr visit(const Select *op) {
        Expr cond = mutate(op->condition);
        Expr t = mutate(op->true_value);
        Expr f = mutate(op->false_value);
        if (!cond.defined() || (!t.defined() && !f.defined())) {
            return Expr();
        }
        if (!t.defined()) {
            return f;
        }
        if (!f.defined()) {
            return t;
        }
        return Select::make(cond, t, f);
    }
};

class WrongConditionOfTheOtherSide : public IRMutator {
    Expr predicate;

    Expr visit(const Select *op) {
        Expr cond = mutate(op->condition);
        Expr t = mutate(op->true_value);
        Expr f = mutate(op->false_value);
        if (!cond.defined() || (!t.defined() && !f.defined())) {
            return Expr();
        }
        if (!t.defined()) {
            cond = Not::make(cond);
            t = f;
            f = Expr();
        }
        if (!f.defined()) {
            if (predicate.defined()) {
                predicate = predicate && cond;
            } else {
                predicate = cond;
            }
            return t;
        }
        return Select::make(cond, t, f);
    }
};

class WrongNegation : public IRMutator {
    Expr predicate;

    Expr visit(const Select *op) {
        Expr cond = mutate(op->condition);
        Expr f = mutate(op->false_value);
        if (!cond.defined() || !f.defined()) {
            return op;
        }
        predicate = cond;
        return f;
    }
};

class WrongNothing : public IRMutator {
    Expr predicate;

    Expr visit(const Select *op) {
        Expr cond = mutate(op->condition);
        Expr t = mutate(op->true_value);
        Expr f = mutate(op->false_value);
        if (!cond.defined() || !t.defined() || !f.defined()) {
            return Expr();
        }
        return op;
    }
};
