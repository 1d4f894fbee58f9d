// The class of an object runs code when it is made, or where it ends.
// wrong: unsupported
// profile: halide

struct Guard {
    int &w;
    ~Guard() {
        w = 1;
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
        int k = 0;
        {
            Guard g = {k};
        }
        if (k == 1) {
            return Evaluate::make(0);
        }
        return IRMutator::visit(op);
    }
};
