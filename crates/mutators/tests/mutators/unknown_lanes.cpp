// A ramp has two lanes at least.
// wrong: unsupported
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Load *op) {
        if (const Ramp *ramp = op->index.as<Ramp>()) {
            Expr index = Ramp::make(ramp->base, 1, ramp->lanes);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    int native;

    Expr visit(const Load *op) {
        if (const Ramp *ramp = op->index.as<Ramp>()) {
            Expr index = Ramp::make(ramp->base, 1, ramp->lanes % native);
        }
        return op;
    }
};
