// Another function of the same name takes a list.
// wrong: bounded

class Other : public IRVisitor {
    bool lng(const std::vector<Expr> &v) {
        return false;
    }
};

class Right : public IRMutator {
    bool lng(const auto &v) {
        return v.size() == 4;
    }
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    bool lng(const auto &v) {
        return v.size() == 4;
    }
    Stmt visit(const Allocate *op) {
        if (lng(op->extents)) return Evaluate::make(0);
        return op;
    }
};
