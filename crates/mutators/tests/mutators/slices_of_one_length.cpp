// Slices of vectors of two lengths have no operator.
// wrong: unsupported
// profile: halide-to-hardware

class Right : public IRMutator {
    template<typename T>
    Expr hoist_slice_vector(Expr e) {
        const T *op = e.as<T>();
        const Shuffle *a = op->a.template as<Shuffle>();
        const Shuffle *b = op->b.template as<Shuffle>();
        if (a->vectors.size() != b->vectors.size()) {
            return e;
        }
        for (size_t i = 0; i < b->vectors.size(); i++) {
            if (b->vectors[i].type() != a->vectors[i].type()) {
                return e;
            }
        }
        if (b->indices != a->indices) {
            return e;
        }
        vector<Expr> slices;
        for (size_t i = 0; i < a->vectors.size(); i++) {
            slices.push_back(T::make(a->vectors[i], b->vectors[i]));
        }
        return Shuffle::make(slices, b->indices);
    }
};

class Wrong : public IRMutator {
    template<typename T>
    Expr hoist_slice_vector(Expr e) {
        const T *op = e.as<T>();
        const Shuffle *a = op->a.template as<Shuffle>();
        const Shuffle *b = op->b.template as<Shuffle>();
        if (a->vectors.size() != b->vectors.size()) {
            return e;
        }
        if (b->indices != a->indices) {
            return e;
        }
        vector<Expr> slices;
        for (size_t i = 0; i < a->vectors.size(); i++) {
            slices.push_back(T::make(a->vectors[i], b->vectors[i]));
        }
        return Shuffle::make(slices, b->indices);
    }
};
