// A region that was mutated is the region; an empty one is another.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Realize *op, const Stmt &self) {
        Region bounds;
        bool changed;
        std::tie(bounds, changed) = mutate_region(this, op->bounds);
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (!changed) {
            stmt = self;
        } else {
            stmt = Realize::make(op->name, op->types, op->memory_type, bounds, condition, body);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Realize *op, const Stmt &self) {
        Region bounds;
        bool changed;
        std::tie(bounds, changed) = mutate_region(this, op->bounds);
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (!changed) {
            stmt = self;
        } else {
            stmt = Realize::make(op->name, op->types, op->memory_type, Region(), condition, body);
        }
    }
};
