// The hint of a variable may be any text.
// wrong: undecided

class Right : public IRMutator {
    Expr Mutate_(const Variable *op, const Expr &self) {
        if (op->name_hint == "reuse") {
            return self;
        }
        return Variable::make(op->type, op->name);
    }
};

class Wrong : public IRMutator {
    Expr Mutate_(const Variable *op, const Expr &self) {
        if (op->name_hint == "reuse" && !op->type.is_handle()) {
            return make_zero(op->type);
        }
        return self;
    }
};
