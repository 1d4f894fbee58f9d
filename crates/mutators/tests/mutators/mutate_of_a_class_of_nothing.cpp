// Where nothing is given, a `mutate` of the class's own returns nothing.
// wrong: undecided

class Right : public IRMutator {
    Expr mutate(Expr e) {
        if (e.defined() && e.type().is_bool()) {
            return e;
        }
        return IRMutator::mutate(e);
    }
};

class Wrong : public IRMutator {
    Expr mutate(Expr e) {
        if (e.type().is_bool()) {
            return e;
        }
        return IRMutator::mutate(e);
    }
};
