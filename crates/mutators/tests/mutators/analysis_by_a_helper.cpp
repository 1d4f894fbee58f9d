// A helper may give an analysis its own argument again.
// wrong: partial

class Right {
    bool const_int_bounds(Expr e, int64_t *least, int64_t *greatest) {
        if (const Broadcast *op = e.as<Broadcast>()) {
            return const_int_bounds(op->value, least, greatest);
        }
        return false;
    }
};

class Wrong {
    bool bounds_of(Expr e, int64_t *least, int64_t *greatest) {
        return const_int_bounds(e, least, greatest);
    }

    bool const_int_bounds(Expr e, int64_t *least, int64_t *greatest) {
        return bounds_of(e, least, greatest);
    }
};
