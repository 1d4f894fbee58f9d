// The name of the visitors' root may be a macro.
// wrong: unsupported
// profile: halide

struct Shallow {
    virtual void visit(const Add *op) {}
    virtual void visit(const Load *op) {}
    virtual void visit(const Call *op) {}
    virtual ~Shallow() = default;
};

#define IRVisitor Shallow

class RightReads : public IRGraphVisitor {
    using IRGraphVisitor::visit;
    void visit(const Load *op) override { result = true; }
    void visit(const Call *op) override { result = true; }

public:
    bool result = false;
};

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        Expr value = mutate(op->value);
        RightReads reads;
        value.accept(&reads);
        if (!reads.result) {
            return Evaluate::make(0);
        }
        return Evaluate::make(value);
    }
};

class WrongReads : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Load *op) override { result = true; }
    void visit(const Call *op) override { result = true; }

public:
    bool result = false;
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        Expr value = mutate(op->value);
        WrongReads reads;
        value.accept(&reads);
        if (!reads.result) {
            return Evaluate::make(0);
        }
        return Evaluate::make(value);
    }
};
