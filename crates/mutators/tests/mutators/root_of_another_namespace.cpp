// A class of another namespace may have the name of the visitors' root.
// wrong: unsupported
// profile: halide

class RightReads : public Halide::Internal::IRVisitor {
    using IRVisitor::visit;
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

class WrongReads : public mine::IRGraphVisitor {
    using IRGraphVisitor::visit;
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
