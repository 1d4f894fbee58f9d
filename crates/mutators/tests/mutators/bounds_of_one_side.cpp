// An analysis that finds bounds gives both.
// wrong: undecided

class Right : public IRMutator {
    bool const_int_bounds(const Expr &e, int64_t *least, int64_t *greatest) {
        const Add *add = e.as<Add>();
        int64_t a_least, a_greatest, b_least, b_greatest;
        if (no_overflow_scalar_int(e.type().element_of()) && add && const_int_bounds(add->a, &a_least, &a_greatest) &&
            const_int_bounds(add->b, &b_least, &b_greatest) && -1000 < a_least && a_greatest < 1000 && -1000 < b_least &&
            b_greatest < 1000) {
            *least = a_least + b_least;
            *greatest = a_greatest + b_greatest;
            return true;
        }
        return false;
    }
};

class Wrong : public IRMutator {
    bool const_int_bounds(const Expr &e, int64_t *least, int64_t *greatest) {
        const Add *add = e.as<Add>();
        int64_t a_least, a_greatest, b_least, b_greatest;
        if (no_overflow_scalar_int(e.type().element_of()) && add && const_int_bounds(add->a, &a_least, &a_greatest) &&
            const_int_bounds(add->b, &b_least, &b_greatest) && -1000 < a_least && a_greatest < 1000 && -1000 < b_least &&
            b_greatest < 1000) {
            *least = a_least + b_least;
            return true;
        }
        return false;
    }
};
