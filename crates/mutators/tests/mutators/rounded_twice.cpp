// What is whole is not rounded any more; what is a square root may be.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->call_type == Call::PureExtern && op->name == "floor_f32") {
            Expr arg = mutate(op->args[0]);
            const Call *call = arg.as<Call>();
            if (call && call->call_type == Call::PureExtern && call->name == "trunc_f32") {
                expr = arg;
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
        if (op->call_type == Call::PureExtern && op->name == "floor_f32") {
            Expr arg = mutate(op->args[0]);
            const Call *call = arg.as<Call>();
            if (call && call->call_type == Call::PureExtern && call->name == "sqrt_f32") {
                expr = arg;
            } else {
                expr = Call::make(op->type, op->name, {arg}, op->call_type);
            }
        } else {
            expr = self;
        }
    }
};
