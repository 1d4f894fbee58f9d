// A loop without iterations is nothing that can be returned.
// wrong: crash
// profile: halide-hls

class Right : public IRMutator {
    void visit(const For *op) {
        Expr extent = simplify(op->extent);
        const IntImm *e = extent.as<IntImm>();
        if (e && e->value == 0) {
            stmt = Evaluate::make(0);
        } else {
            IRMutator::visit(op);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const For *op) {
        const IntImm *e = simplify(op->extent).as<IntImm>();
        if (e && e->value == 0) {
            stmt = Stmt();
        } else {
            IRMutator::visit(op);
        }
    }
};
