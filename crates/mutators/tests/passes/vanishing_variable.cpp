// A variable has no value just if the scope has an entry for it.
// pass: RemoveUndef

class Right : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Expr visit(const Variable *op) {
        if (dead_vars.contains(op->name)) {
            return Expr();
        }
        return op;
    }
};

class WrongNegation : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Expr visit(const Variable *op) {
        if (!dead_vars.contains(op->name)) {
            return Expr();
        }
        return op;
    }
};

class WrongVariableThatIsKept : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Expr visit(const Variable *op) {
        return op;
    }
};

class WrongLiteral : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Expr visit(const Variable *op) {
        if (dead_vars.contains(op->name) && !op->type.is_handle()) {
            return make_zero(op->type);
        }
        return op;
    }
};
