// A key is made of strings. The sum of a literal and a number is an address, perhaps of nothing.
// wrong: unsupported

class Right : public IRMutator {
    Scope<VarInfo> var_info;
    void found_buffer_reference(const std::string &name, size_t dimensions) {
        for (size_t i = 0; i < dimensions; i++) {
            std::string stride = ".stride." + std::to_string(i) + name;
            if (var_info.contains(stride)) {
                var_info.ref(stride).old_uses++;
            }
        }
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;
    void found_buffer_reference(const std::string &name, size_t dimensions) {
        for (size_t i = 0; i < dimensions; i++) {
            std::string stride = ".stride." + i + name;
            if (var_info.contains(stride)) {
                var_info.ref(stride).old_uses++;
            }
        }
    }
};
