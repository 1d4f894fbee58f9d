// A constructor puts an entry into a map.
// wrong: crash
// right: unsupported
// profile: halide-hls

class Right : public IRMutator {
    map<int, string> names;

public:
    Right() {
        names[0] = "x";
    }

    void visit(const For *op) {
        Stmt body = mutate(op->body);
        vector<string> parts = split_string(op->name, ".");
        internal_assert(names[0] == "x");
        stmt = For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    map<int, string> names;

public:
    void visit(const For *op) {
        Stmt body = mutate(op->body);
        vector<string> parts = split_string(op->name, ".");
        internal_assert(names[0] == "x");
        stmt = For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
