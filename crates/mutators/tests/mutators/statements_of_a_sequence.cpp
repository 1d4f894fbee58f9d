// The statements of a list are made one after the other.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) final {
        std::vector<Stmt> seq;
        seq.push_back(this->Mutate(op->first));
        seq.push_back(this->Mutate(op->rest));
        return MergeSeq(seq);
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) final {
        std::vector<Stmt> seq;
        seq.push_back(this->Mutate(op->rest));
        seq.push_back(this->Mutate(op->first));
        return MergeSeq(seq);
    }
};
