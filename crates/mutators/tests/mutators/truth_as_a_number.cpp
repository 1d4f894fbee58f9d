// A truth value of the compiler becomes a number where an expression is wanted.
// wrong: type

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "is_nan_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = make_bool(std::isnan(*f), op->type.lanes());
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
        if (op->call_type == Call::PureExtern && op->name == "is_nan_f32") {
            Expr arg = mutate(op->args[0]);
            if (const double *f = as_const_float(arg)) {
                expr = std::isnan(*f);
            } else {
                expr = self;
            }
        } else {
            expr = self;
        }
    }
};
