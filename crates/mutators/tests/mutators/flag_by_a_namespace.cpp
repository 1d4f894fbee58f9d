// A call of a function named like the default visit looks at nothing.
// wrong: undecided
// profile: halide-hls

class Looks : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) { result = false; } else { IRVisitor::visit(op); }
    }
    void visit(const Load *op) { result = false; }
    void visit(const EQ *op) { IRVisitor::visit(op); }

public:
    bool result = true;
};

bool looks(const Expr &e) {
    Looks looks;
    e.accept(&looks);
    return looks.result;
}

class Right : public IRMutator {
    void visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && looks(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            stmt = IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        } else if (first.same_as(op->first) && rest.same_as(op->rest)) {
            stmt = op;
        } else {
            stmt = Block::make(first, rest);
        }
    }
};

class Errs : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) { result = false; } else { IRVisitor::visit(op); }
    }
    void visit(const Load *op) { result = false; }
    void visit(const EQ *op) { NoVisitor::visit(op); }

public:
    bool result = true;
};

bool errs(const Expr &e) {
    Errs looks;
    e.accept(&looks);
    return looks.result;
}

class Wrong : public IRMutator {
    void visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && errs(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            stmt = IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        } else if (first.same_as(op->first) && rest.same_as(op->rest)) {
            stmt = op;
        } else {
            stmt = Block::make(first, rest);
        }
    }
};
