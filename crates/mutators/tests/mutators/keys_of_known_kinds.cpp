// A key is no text: it may differ from a literal of the same letters.
// wrong: undecided

class Right : public IRMutator {
    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        if (op->value.as<Call>()) {
            if (op->value->type_key() == "Add") {
                return Evaluate::make(0);
            }
        }
        return s;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        if (op->value.as<Call>()) {
            if (op->value->type_key() == "Call") {
                return s;
            }
            return Evaluate::make(0);
        }
        return s;
    }
};
