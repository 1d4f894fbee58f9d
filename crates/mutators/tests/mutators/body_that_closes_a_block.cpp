// A function that closes a block forgets what was computed in it.
// wrong: unsupported

class Right : public CodeGen_C {
    void close_scope(const std::string &comment) {
        cache.clear();
        indent--;
        do_indent();
        if (!comment.empty()) {
            stream << "} // " << comment << "\n";
        } else {
            stream << "}\n";
        }
    }
};

class Wrong : public CodeGen_C {
    void close_scope(const std::string &comment) {
        indent--;
        do_indent();
        if (!comment.empty()) {
            stream << "} // " << comment << "\n";
        } else {
            stream << "}\n";
        }
    }
};
