// What an expression is that was left in a member is not known.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    Expr value_;

    void visit(const Store *op, const Stmt &self) {
        Expr value = mutate(op->value), index = mutate(op->index), predicate = mutate(op->predicate);
        if (value_.defined() && equal(value_, value)) {
            stmt = Store::make(op->buffer_var, value_, index, predicate);
        } else {
            stmt = self;
        }
        value_ = value;
    }
};

class Wrong : public IRMutator {
    Expr value_;

    void visit(const Store *op, const Stmt &self) {
        Expr value = mutate(op->value), index = mutate(op->index), predicate = mutate(op->predicate);
        if (value_.defined() && value_.type() == value.type()) {
            stmt = Store::make(op->buffer_var, value_, index, predicate);
        } else {
            stmt = self;
        }
        value_ = value;
    }
};
