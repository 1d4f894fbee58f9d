// `Int(8, 1, 4)` is a type with four bits after the point.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        if (op->type == Int(8)) {
            expr = cast(Int(8, 1, 0), self);
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        if (op->type == Int(8)) {
            expr = cast(Int(8, 1, 4), self);
        } else {
            expr = self;
        }
    }
};
