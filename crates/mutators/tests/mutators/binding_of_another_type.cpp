// A variable of another type holds what a binding is converted to. The binding itself has ended.
// wrong: unsupported
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const IfThenElse *op) override {
        Expr condition = op->condition;
        if (!condition.as<Variable>()) {
            return op;
        }
        Stmt then_case, else_case;
        {
            ScopedFact f = scoped_truth(condition);
            then_case = mutate(op->then_case);
        }
        else_case = mutate(op->else_case);
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
            bool f = scoped_truth(condition);
            then_case = mutate(op->then_case);
        }
        else_case = mutate(op->else_case);
        return IfThenElse::make(condition, then_case, else_case);
    }
};
