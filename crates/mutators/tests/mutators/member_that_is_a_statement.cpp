// Another method may leave a statement undefined.
// wrong: undecided

class Right : public IRMutator {
    Stmt last;

    Stmt Mutate_(const Block *op, const Stmt &s) final {
        last = op->first;
        Stmt rest = this->Mutate(op->rest);
        return Block::make(op->first, rest);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Stmt();
        return s;
    }
};

class Wrong : public IRMutator {
    Stmt last;

    Stmt Mutate_(const Block *op, const Stmt &s) final {
        last = op->first;
        Stmt rest = this->Mutate(op->rest);
        return Block::make(last, rest);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Stmt();
        return s;
    }
};
