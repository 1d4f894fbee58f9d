// A branch that does nothing under the condition does nothing where the condition fails, too.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const IfThenElse *op) override {
        Expr condition = op->condition;
        if (!condition.as<Variable>()) {
            return op;
        }
        Stmt then_case, else_case;
        {
            auto f = scoped_truth(condition);
            then_case = mutate(op->then_case);
        }
        {
            auto f = scoped_falsehood(condition);
            else_case = mutate(op->else_case);
        }
        if (is_no_op(then_case) && is_no_op(else_case)) {
            return then_case;
        }
        return IfThenElse::make(condition, then_case, else_case);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const IfThenElse *op) override {
        Expr condition = op->condition;
        if (!condition.as<Variable>()) {
            return op;
        }
        Stmt then_case, else_case;
        {
            auto f = scoped_truth(condition);
            then_case = mutate(op->then_case);
        }
        {
            auto f = scoped_falsehood(condition);
            else_case = mutate(op->else_case);
        }
        if (is_no_op(then_case)) {
            return then_case;
        }
        return IfThenElse::make(condition, then_case, else_case);
    }
};
