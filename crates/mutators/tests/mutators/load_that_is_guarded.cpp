// Where the predicate of a load does not hold, another operand may be chosen.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        const Load *load = op->true_value.as<Load>();
        if (load && op->type.is_scalar()) {
            Expr predicate = op->condition && load->predicate;
            Expr value = Load::make(load->type, load->name, load->index, load->image, load->param,
                                    predicate, load->alignment);
            return Select::make(op->condition, value, op->false_value);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) override {
        const Load *load = op->true_value.as<Load>();
        if (load && equal(load->predicate, op->condition)) {
            return op->true_value;
        }
        return op;
    }
};
