// The class of an object runs code when it is made, or where it ends.
// wrong: unsupported
// profile: halide

class Wrong;
struct Guard {
    Wrong *w;
    Guard(Wrong *w) : w(w) {
        w->n = 1;
    }
};

class Right : public IRMutator {
    int n = 0;
    Stmt visit(const For *op) override {
        return IRMutator::visit(op);
    }
};

class Wrong : public IRMutator {
    int n = 0;
    Stmt visit(const For *op) override {
        n = 0;
        Guard g{this};
        if (n == 1) {
            return Evaluate::make(0);
        }
        return IRMutator::visit(op);
    }
};
