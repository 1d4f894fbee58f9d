// Statements of blocks within blocks are made one after the other.
// wrong: wrong
// right: bounded

class Right : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) final {
        std::vector<Stmt> seq;
        Flatten(op->first, &seq);
        Flatten(op->rest, &seq);
        return MergeSeq(seq);
    }

    void Flatten(Stmt s, std::vector<Stmt> *seq) {
        if (const Block *op = s.as<Block>()) {
            Flatten(op->first, seq);
            Flatten(op->rest, seq);
        } else {
            seq->push_back(s);
        }
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) final {
        std::vector<Stmt> seq;
        Flatten(op->first, &seq);
        Flatten(op->rest, &seq);
        return MergeSeq(seq);
    }

    void Flatten(Stmt s, std::vector<Stmt> *seq) {
        if (const Block *op = s.as<Block>()) {
            Flatten(op->rest, seq);
            Flatten(op->first, seq);
        } else {
            seq->push_back(s);
        }
    }
};
