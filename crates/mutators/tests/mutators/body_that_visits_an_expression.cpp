// A function that prints an expression returns the name that the visit leaves.
// wrong: unsupported

class Right : public CodeGen_C {
    std::string print_expr(Expr e) {
        id = "$$ BAD ID $$";
        e.accept(this);
        return id;
    }
};

class Wrong : public CodeGen_C {
    std::string print_expr(Expr e) {
        e.accept(this);
        id = "$$ BAD ID $$";
        return id;
    }
};
