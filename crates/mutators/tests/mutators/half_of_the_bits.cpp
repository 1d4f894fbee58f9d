// The other vector of an interleaving may be anything.
// wrong: crash
// right: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Shuffle *op, ExprInfo *info) {
        if (op->is_interleave()) {
            const Call *first = op->vectors[0].as<Call>();
            const Call *second = op->vectors[1].as<Call>();
            if (first && second && second->is_intrinsic(Call::extract_bits)) {
                return op;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Shuffle *op, ExprInfo *info) {
        if (op->is_interleave()) {
            const Call *first = op->vectors[0].as<Call>();
            const Call *second = op->vectors[1].as<Call>();
            if (first && second->is_intrinsic(Call::extract_bits)) {
                return op;
            }
        }
        return op;
    }
};
