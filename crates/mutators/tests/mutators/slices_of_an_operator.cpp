// An operator of two slices is the slice of the operator, with the operands in their order.
// wrong: unsupported
// profile: halide-to-hardware

class Right : public IRMutator {
    template<typename T>
    Expr hoist_slice_vector(Expr e) {
        const T *op = e.as<T>();
        internal_assert(op);
        const Shuffle *shuffle_a = op->a.template as<Shuffle>();
        const Shuffle *shuffle_b = op->b.template as<Shuffle>();
        internal_assert(shuffle_a && shuffle_b && shuffle_a->is_slice() && shuffle_b->is_slice());
        if (shuffle_a->indices != shuffle_b->indices) {
            return e;
        }
        const std::vector<Expr> &slices_a = shuffle_a->vectors;
        const std::vector<Expr> &slices_b = shuffle_b->vectors;
        if (slices_a.size() != slices_b.size()) {
            return e;
        }
        for (size_t i = 0; i < slices_a.size(); i++) {
            if (slices_a[i].type() != slices_b[i].type()) {
                return e;
            }
        }
        std::vector<Expr> slices;
        for (size_t i = 0; i < slices_a.size(); i++) {
            slices.push_back(T::make(slices_a[i], slices_b[i]));
        }
        return Shuffle::make(slices, shuffle_a->indices);
    }
};

class Wrong : public IRMutator {
    template<typename T>
    Expr hoist_slice_vector(Expr e) {
        const T *op = e.as<T>();
        internal_assert(op);
        const Shuffle *shuffle_a = op->a.template as<Shuffle>();
        const Shuffle *shuffle_b = op->b.template as<Shuffle>();
        internal_assert(shuffle_a && shuffle_b && shuffle_a->is_slice() && shuffle_b->is_slice());
        if (shuffle_a->indices != shuffle_b->indices) {
            return e;
        }
        const std::vector<Expr> &slices_a = shuffle_a->vectors;
        const std::vector<Expr> &slices_b = shuffle_b->vectors;
        if (slices_a.size() != slices_b.size()) {
            return e;
        }
        for (size_t i = 0; i < slices_a.size(); i++) {
            if (slices_a[i].type() != slices_b[i].type()) {
                return e;
            }
        }
        std::vector<Expr> slices;
        for (size_t i = 0; i < slices_a.size(); i++) {
            slices.push_back(T::make(slices_b[i], slices_a[i]));
        }
        return Shuffle::make(slices, shuffle_a->indices);
    }
};
