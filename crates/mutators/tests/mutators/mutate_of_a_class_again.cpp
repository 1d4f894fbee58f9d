// A `mutate` of the class's own gives the node on once: what it mutates again is less.
// wrong: partial

class Right : public IRMutator {
    Stmt mutate(Stmt s) {
        if (s.defined()) {
            if (const Block *op = s.as<Block>()) {
                return Block::make(mutate(op->first), mutate(op->rest));
            }
        }
        return IRMutator::mutate(s);
    }
};

class Wrong : public IRMutator {
    Stmt mutate(Stmt s) {
        return mutate(IRMutator::mutate(s));
    }
};
