// A function that counts uses changes nothing but the counts of entries that are there.
// wrong: unsupported

class Right : public IRMutator {
    Scope<VarInfo> var_info;
    void found_buffer_reference(const std::string &name, size_t dimensions) {
        for (size_t i = 0; i < dimensions; i++) {
            std::string stride = name + ".stride." + std::to_string(i);
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
            std::string stride = name + ".stride." + std::to_string(i);
            if (var_info.contains(name)) {
                var_info.ref(stride).old_uses++;
            }
        }
    }
};
