// A condition that was true may be false after a store, also where the class follows no call.
// wrong: wrong
// right: partial

class Right : public IRMutator {
    void visit(const IfThenElse *op) {
        Stmt then_case = mutate(op->then_case);
        const Variable *v = op->condition.as<Variable>();
        if (v) {
            then_case = mutate(substitute(v->name, const_true(), then_case));
        }
        stmt = IfThenElse::make(op->condition, then_case, op->else_case);
    }

    void visit(const Store *op) {
        const Load *load = op->value.as<Load>();
        if (load && load->name == op->name && equal(load->index, op->index) &&
            is_one(op->predicate)) {
            stmt = Evaluate::make(0);
        } else {
            stmt = op;
        }
    }

    void visit(const Call *op) {
        expr = what_is_known_of_calls(op);
    }
};

class Wrong : public IRMutator {
    void visit(const IfThenElse *op) {
        Stmt then_case = mutate(op->then_case);
        then_case = mutate(substitute(op->condition, const_true(), then_case));
        stmt = IfThenElse::make(op->condition, then_case, op->else_case);
    }

    void visit(const Store *op) {
        const Load *load = op->value.as<Load>();
        if (load && load->name == op->name && equal(load->index, op->index) &&
            is_one(op->predicate)) {
            stmt = Evaluate::make(0);
        } else {
            stmt = op;
        }
    }

    void visit(const Call *op) {
        expr = what_is_known_of_calls(op);
    }
};
