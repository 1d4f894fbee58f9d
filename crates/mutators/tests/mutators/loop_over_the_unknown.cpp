// A loop over what is not known may have found something or not.
// wrong: undecided

class Right : public IRMutator {
    std::vector<const Variable *> seen;

    void visit(const Store *op, const Stmt &self) {
        bool found = false;
        for (auto v : seen) {
            if (v == op->buffer_var.get()) {
                found = true;
                break;
            }
        }
        if (found && is_zero(op->predicate)) {
            stmt = Evaluate::make(0);
        } else {
            stmt = self;
        }
    }
};

class Wrong : public IRMutator {
    std::vector<const Variable *> seen;

    void visit(const Store *op, const Stmt &self) {
        bool found = false;
        for (auto v : seen) {
            if (v == op->buffer_var.get()) {
                found = true;
                break;
            }
        }
        if (found) {
            stmt = Evaluate::make(0);
        } else {
            stmt = self;
        }
    }
};
