// No number differs from itself or is infinite.
// wrong: unsupported

class Right : public IRMutator {
    template<typename T>
    static bool isinf(T x) {
        return std::numeric_limits<T>::has_infinity &&
               (x == std::numeric_limits<T>::infinity() ||
                x == -std::numeric_limits<T>::infinity());
    }
};

class Wrong : public IRMutator {
    template<typename T>
    static bool isinf(T x) {
        return std::numeric_limits<T>::has_infinity &&
               (x == std::numeric_limits<T>::max() || x == -std::numeric_limits<T>::infinity());
    }
};
