// A member of the class hides that of its base.
// wrong: unsupported

class Right : public CodeGen_C {
    void open_scope() {
        cache.clear();
        do_indent();
        indent++;
        stream << "{\n";
    }
};

class Wrong : public CodeGen_C {
    std::ostringstream stream;

    void open_scope() {
        cache.clear();
        do_indent();
        indent++;
        stream << "{\n";
    }
};
