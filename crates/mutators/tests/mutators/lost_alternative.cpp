// A condition with nothing to do may have an alternative.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const IfThenElse *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<IfThenElse>();
        if (is_no_op(op->then_case) && is_no_op(op->else_case)) {
            return Evaluate::make(0);
        }
        return stmt;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const IfThenElse *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<IfThenElse>();
        if (is_no_op(op->then_case)) {
            return Evaluate::make(0);
        }
        return stmt;
    }
};
