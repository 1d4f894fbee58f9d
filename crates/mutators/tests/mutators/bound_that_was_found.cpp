// Another pass over an expression keeps its value, a bound that was found does not.
// wrong: undecided
// right: verified
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr bound = find_constant_bound(op->a, Direction::Upper, Scope<Interval>::empty_scope());
        if (bound.defined() && equal(bound, op->a)) {
            return Add::make(bound, op->b);
        }
        return common_subexpression_elimination(solve_expression(op, "x").result);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        Expr bound = find_constant_bound(op->a, Direction::Upper, Scope<Interval>::empty_scope());
        if (bound.defined()) {
            return Add::make(bound, op->b);
        }
        return common_subexpression_elimination(solve_expression(op, "x").result);
    }
};
