// The call that stands for an overflow has the given type.
// wrong: unsupported

class Right : public IRMutator {
    Expr signed_integer_overflow_error(Type t) {
        // The calls differ.
        static std::atomic<int> counter;
        return Call::make(t, Call::signed_integer_overflow, {counter++}, Call::Intrinsic);
    }
};

class Wrong : public IRMutator {
    Expr signed_integer_overflow_error(Type t) {
        // The calls differ.
        static std::atomic<int> counter;
        return Call::make(Int(32), Call::signed_integer_overflow, {counter++}, Call::Intrinsic);
    }
};
