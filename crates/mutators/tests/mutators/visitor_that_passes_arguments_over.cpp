// A visitor must visit the arguments of a pure call.
// wrong: undecided
// profile: halide

class Looks : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) { result = false; } else { IRVisitor::visit(op); }
    }
    void visit(const Load *op) {
        result = false;
    }

public:
    bool result = true;
};

bool looks_at_all(const Expr &e) {
    Looks pure;
    e.accept(&pure);
    return pure.result;
}

class Right : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && looks_at_all(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            return IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        }
        return Block::make(first, rest);
    }
};

class ReadsNothing : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) { result = false; }
    }
    void visit(const Load *op) {
        result = false;
    }

public:
    bool result = true;
};

bool reads_nothing(const Expr &e) {
    ReadsNothing pure;
    e.accept(&pure);
    return pure.result;
}

class Wrong : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && reads_nothing(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            return IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        }
        return Block::make(first, rest);
    }
};
