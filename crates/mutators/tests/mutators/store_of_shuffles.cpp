// A store of what was loaded is idle only if both places are one.
// wrong: wrong

class Right : public IRMutator {
    Stmt visit(const Store *op) {
        const Load *load = op->value.as<Load>();
        if (load && load->buffer_var.same_as(op->buffer_var) &&
            is_one(load->predicate) && load->index.same_as(op->index)) {
            return Evaluate::make(0);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Store *op) {
        const Load *load = op->value.as<Load>();
        if (load && load->buffer_var.same_as(op->buffer_var) &&
            is_one(load->predicate) && equal(load->index, op->index)) {
            return Evaluate::make(0);
        }
        return op;
    }
};
