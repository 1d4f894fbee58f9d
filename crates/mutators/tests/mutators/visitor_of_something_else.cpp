// What a visitor with a constructor finds can be anything.
// wrong: undecided
// profile: halide

class Depth : public IRVisitor {
    using IRVisitor::visit;
    const Scope<int> &depth;

    void visit(const Variable *op) override {
        if (depth.contains(op->name)) {
            result = 1;
        }
    }

public:
    int result = 0;
    Depth(const Scope<int> &d)
        : depth(d) {
    }
};

class Right : public IRMutator {
    Scope<int> depths;

    Expr visit(const Add *op) override {
        Depth d(depths);
        op->a.accept(&d);
        if (d.result > 0) {
            return Add::make(op->b, op->a);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<int> depths;

    Expr visit(const Add *op) override {
        Depth d(depths);
        op->a.accept(&d);
        if (d.result > 0) {
            return Add::make(op->a, op->a);
        }
        return op;
    }
};
