// A floating-point literal is a scalar; that of a vector is a broadcast.
// wrong: crash
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "exp_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = make_const(op->type, std::exp(*f));
            } else {
                expr = self;
            }
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "exp_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = FloatImm::make(op->type, std::exp(*f));
            } else {
                expr = self;
            }
        } else {
            expr = self;
        }
    }
};
