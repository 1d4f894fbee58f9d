// `accept` of the object itself leaves the result in a member; nothing else does.
// wrong: undecided

class Right : public IRMutator {
    Expr mutate(Expr e) {
        if (e.defined()) {
            e.accept(this);
        } else {
            expr = Expr();
        }
        stmt = Stmt();
        return expr;
    }
};

class Wrong : public IRMutator {
    Expr mutate(Expr e) {
        if (e.defined() && !e.type().is_bool()) {
            e.accept(this);
        }
        return expr;
    }
};
