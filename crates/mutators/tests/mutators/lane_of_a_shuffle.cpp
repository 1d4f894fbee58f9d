// A lane beyond the first vector of a shuffle is a lane of the next one.
// wrong: wrong
// right: unsupported
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Shuffle *op) {
        if (op->is_extract_element() && op->vectors.size() == 1) {
            if (const Ramp *r = op->vectors[0].as<Ramp>()) {
                expr = mutate(r->base + op->indices[0] * r->stride);
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    void visit(const Shuffle *op) {
        if (op->is_extract_element()) {
            if (const Ramp *r = op->vectors[0].as<Ramp>()) {
                expr = mutate(r->base + op->indices[0] * r->stride);
                return;
            }
        }
        expr = op;
    }
};
