// The number of iterations may be a constant below zero, and then the loop does nothing.
// wrong: crash

class Right : public IRMutator {
    Stmt visit(const For *op) {
        Expr extent = ir::Simplify(op->extent);
        const IntImm *e = extent.as<IntImm>();
        if (e != nullptr && e->value <= 0) {
            return Evaluate::make(0);
        }
        return IRMutator::visit(op);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) {
        const IntImm *e = ir::Simplify(op->extent).as<IntImm>();
        if (e != nullptr) {
            CHECK_GE(e->value, 0) << "not a constant";
        }
        return IRMutator::visit(op);
    }
};
