// A visitor that a function declares may change what it is given.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        bool seen = false;
        bool other = false;
        class Look : public IRVisitor {
            void visit(const Load *op) override {
                *found = true;
            }

        public:
            bool *found;
            Look(bool *f)
                : found(f) {
            }
        } look(&seen);
        look(op->a);
        if (other) {
            return Add::make(op->a, op->a);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        bool seen = false;
        bool other = false;
        class Look : public IRVisitor {
            void visit(const Load *op) override {
                *found = true;
            }

        public:
            bool *found;
            Look(bool *f)
                : found(f) {
            }
        } look(&seen);
        look(op->a);
        if (seen) {
            return Add::make(op->a, op->a);
        }
        return op;
    }
};
