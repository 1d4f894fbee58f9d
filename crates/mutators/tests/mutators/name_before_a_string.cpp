// A string after a name that ends with `R` is no raw one, so the macro is defined twice.
// wrong: unsupported

#define FOOR
#define BAR 0
const char *opened = FOOR"(";
#undef BAR
#define BAR 1
const char *closed = ")";

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        expr = self;
    }
};

#if BAR
class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        expr = op->a;
    }
};
#else
class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        expr = self;
    }
};
#endif
