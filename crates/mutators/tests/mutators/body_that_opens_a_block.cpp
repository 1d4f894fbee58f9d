// A function that opens a block prints one brace, and nothing after the end of its line.
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
    void open_scope() {
        do_indent();
        stream << "{\n";
        stream << "{\n";
    }
};
