// An assert that the file defines need not refuse anything.
// wrong: unsupported
// right: rejects

struct Ignored {
    template<typename T>
    Ignored &operator<<(const T &value) {
        return *this;
    }
};

static Ignored user_assert(bool condition) {
    return Ignored();
}

class Right : public IRMutator {
    Expr visit(const Sub *op) {
        internal_error << "a difference";
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) {
        user_assert(is_zero(op->b)) << "a difference";
        return mutate(op->a);
    }
};
