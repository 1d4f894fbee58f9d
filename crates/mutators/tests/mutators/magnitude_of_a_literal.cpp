// The magnitude of a literal below 0 is its negation.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->is_intrinsic(Call::abs)) {
            Expr a = mutate(op->args[0]);
            int64_t ia = 0;
            if (a.type().is_int() && a.type().bits() < 64 && const_int(a, &ia)) {
                if (ia < 0 && !(Int(64).is_min(ia))) {
                    ia = -ia;
                }
                expr = make_const(op->type, ia);
            } else {
                expr = abs(a);
            }
        } else {
            expr = self;
        }
    }

    bool const_int(const Expr &e, int64_t *i) {
        if (e.type().is_vector()) {
            return false;
        } else if (const int64_t *p = as_const_int(e)) {
            *i = *p;
            return true;
        }
        return false;
    }
};

class Wrong : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        if (op->is_intrinsic(Call::abs)) {
            Expr a = mutate(op->args[0]);
            int64_t ia = 0;
            if (a.type().is_int() && a.type().bits() < 64 && const_int(a, &ia)) {
                if (ia < 0 && ia < -1) {
                    ia = -ia;
                }
                expr = make_const(op->type, ia);
            } else {
                expr = abs(a);
            }
        } else {
            expr = self;
        }
    }

    bool const_int(const Expr &e, int64_t *i) {
        if (e.type().is_vector()) {
            return false;
        } else if (const int64_t *p = as_const_int(e)) {
            *i = *p;
            return true;
        }
        return false;
    }
};
