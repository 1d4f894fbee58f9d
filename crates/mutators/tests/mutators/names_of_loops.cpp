// Loops within one another get names from a table, by the number of loops within.
// wrong: crash
// right: unsupported
// profile: halide-hls

string many[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
string few[] = {"a", "b", "c", "d"};

class Count : public IRVisitor {
    string prefix;

    void visit(const For *op) {
        if (starts_with(op->name, prefix) && op->for_type == ForType::GPUBlock) {
            count++;
        }
        IRVisitor::visit(op);
    }

public:
    Count(const string &p) : prefix(p), count(0) {}
    int count;
};

class Right : public IRMutator {
    void visit(const For *op) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        Stmt body = mutate(op->body);
        vector<string> parts = split_string(op->name, ".");
        internal_assert(parts.size() > 2);
        Count count(parts[0] + "." + parts[1]);
        op->body.accept(&count);
        internal_assert(count.count < 12);
        std::ostringstream text;
        text << op->name << "." << many[count.count];
        string name = text.str();
        body = substitute(op->name, Variable::make(Int(32), name), body);
        stmt = For::make(name, min, extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    void visit(const For *op) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        Stmt body = mutate(op->body);
        vector<string> parts = split_string(op->name, ".");
        internal_assert(parts.size() > 2);
        Count count(parts[0] + "." + parts[1]);
        op->body.accept(&count);
        internal_assert(count.count < 4);
        std::ostringstream text;
        text << op->name << "." << few[count.count];
        string name = text.str();
        body = substitute(op->name, Variable::make(Int(32), name), body);
        stmt = For::make(name, min, extent, op->for_type, op->device_api, body);
    }
};
