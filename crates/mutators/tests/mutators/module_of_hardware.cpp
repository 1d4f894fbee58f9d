// The statement within an external module is only its model in software.
// wrong: undecided

class Right : public IRMutator {
    Stmt Mutate_(const ExternModule *op, const Stmt &s) {
        return s;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const ExternModule *op, const Stmt &s) {
        return this->Mutate(op->body);
    }
};
