// A buffer that is given what it holds there is left as it was.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Store *op) {
        Expr predicate = mutate(op->predicate);
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        const Load *load = value.as<Load>();
        if (is_zero(predicate)) {
            stmt = Evaluate::make(0);
        } else if (load && load->name == op->name && equal(load->index, index)) {
            stmt = Evaluate::make(0);
        } else {
            stmt = Store::make(op->name, value, index, op->param, predicate);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Store *op) {
        Expr predicate = mutate(op->predicate);
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        const Load *load = value.as<Load>();
        if (is_zero(predicate)) {
            stmt = Evaluate::make(0);
        } else if (load && load->name == op->name) {
            stmt = Evaluate::make(0);
        } else {
            stmt = Store::make(op->name, value, index, op->param, predicate);
        }
    }
};
