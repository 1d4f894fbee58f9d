// A `mutate` of the class's own keeps the effects of statements.
// wrong: wrong

class Right : public IRMutator {
    Stmt mutate(Stmt s) {
        Stmt result = IRMutator::mutate(s);
        if (result.defined() && result.as<IfThenElse>() && is_no_op(result)) {
            return Evaluate::make(0);
        }
        return result;
    }
};

class Wrong : public IRMutator {
    Stmt mutate(Stmt s) {
        Stmt result = IRMutator::mutate(s);
        if (result.defined()) {
            if (const Block *op = result.as<Block>()) {
                return op->first;
            }
        }
        return result;
    }
};
