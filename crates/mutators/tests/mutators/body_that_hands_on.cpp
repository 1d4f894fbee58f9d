// A function that prints a statement has its own method run, and not that of another one.
// wrong: unsupported

class Right : public CodeGen_C {
    void print_stmt(Stmt s) {
        s.accept(this);
    }
};

class Wrong : public CodeGen_C {
    Stmt last;
    void print_stmt(Stmt s) {
        last.accept(this);
    }
};
