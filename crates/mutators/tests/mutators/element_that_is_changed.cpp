// A reference to an element of a copied member may change the copy.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Realize *op) override {
        Region region = op->bounds;
        bool found = false;
        for (Range &r : region) {
            found = found || r.extent.defined();
        }
        Stmt body = mutate(op->body);
        return op->with(region, op->condition, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Realize *op) override {
        Region region = op->bounds;
        for (Range &r : region) {
            r.extent = r.min;
        }
        Stmt body = mutate(op->body);
        return Realize::make(op->name, op->types, op->memory_type, region, op->condition,
                             IfThenElse::make(op->condition, body));
    }
};
