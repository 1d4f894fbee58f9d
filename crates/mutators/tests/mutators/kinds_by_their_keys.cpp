// Two nodes of one key have one kind.
// wrong: crash

class Right : public IRMutator {
    Stmt Mutate_(const Store *op, const Stmt &s) final {
        if (op->index->type_key() != op->value->type_key()) {
            return s;
        }
        if (const IntImm *index = op->index.as<IntImm>()) {
            if (index->value == op->value.as<IntImm>()->value) {
                return Store::make(op->buffer_var, op->index, op->index, op->predicate);
            }
        }
        return s;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Store *op, const Stmt &s) final {
        if (op->index->type_key() == op->value->type_key()) {
            return s;
        }
        if (const IntImm *index = op->index.as<IntImm>()) {
            if (index->value == op->value.as<IntImm>()->value) {
                return Store::make(op->buffer_var, op->index, op->index, op->predicate);
            }
        }
        return s;
    }
};
