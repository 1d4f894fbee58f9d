// A function of a literal is computed by the same function.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "sqrt_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = make_const(op->type, std::sqrt(*f));
            } else {
                expr = Call::make(op->type, op->name, {arg}, op->call_type);
            }
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "sqrt_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = make_const(op->type, std::exp(*f));
            } else {
                expr = Call::make(op->type, op->name, {arg}, op->call_type);
            }
        } else {
            expr = self;
        }
    }
};
