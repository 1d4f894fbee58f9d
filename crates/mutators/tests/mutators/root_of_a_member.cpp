// A visitor may be a member of a class, which the methods name alone.
// wrong: unsupported
// profile: halide

struct Shallow {
    virtual void visit(const Add *op) {}
    virtual void visit(const Load *op) {}
    virtual void visit(const Call *op) {}
    virtual ~Shallow() = default;
};

typedef Shallow IRVisitor;

class Reads : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Load *op) override { result = true; }
    void visit(const Call *op) override { result = true; }

public:
    bool result = false;
};

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        return Evaluate::make(mutate(op->value));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Reads reads;
    Stmt visit(const Evaluate *op) override {
        Expr value = mutate(op->value);
        value.accept(&reads);
        if (!reads.result) {
            return Evaluate::make(0);
        }
        return Evaluate::make(value);
    }
};
