// A reference is another name of a member.
// wrong: unsupported

class Right : public IRMutator {
    bool first = false;
    bool second = false;
    Expr visit(const Sub *op) override {
        first = false;
        second = true;
        if (first) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    bool first = false;
    bool &second = first;
    Expr visit(const Sub *op) override {
        first = false;
        second = true;
        if (first) {
            return op->a;
        }
        return op;
    }
};
