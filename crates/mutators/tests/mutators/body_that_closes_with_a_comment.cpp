// What is printed after a brace stands in a comment.
// wrong: unsupported

class Right : public CodeGen_C {
    void close_scope(const std::string &comment) {
        cache.clear();
        indent--;
        do_indent();
        stream << "} // " << comment << "\n";
    }
};

class Wrong : public CodeGen_C {
    void close_scope(const std::string &comment) {
        cache.clear();
        indent--;
        do_indent();
        stream << "} " << comment << "\n";
    }
};
