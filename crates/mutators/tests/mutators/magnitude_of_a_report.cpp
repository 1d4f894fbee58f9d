// The magnitude of the least number that a report may hold overflows.
// wrong: crash
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *bounds) {
        ExprInfo b_info;
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, &b_info);
        if (b_info.min_defined && b_info.min > -100 && std::abs(b_info.min) > 200) {
            return Mod::make(a, b);
        }
        return Mod::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *bounds) {
        ExprInfo b_info;
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, &b_info);
        if (b_info.min_defined && b_info.min < -100 && std::abs(b_info.min) > 200) {
            return Mod::make(a, b);
        }
        return Mod::make(a, b);
    }
};
