// A function without a stream returns what the function with one appends.
// wrong: unsupported

class Right : public CodeGenC {
    std::string PrintExpr(const Expr &n) {
        std::ostringstream os;
        PrintExpr(n, os);
        return os.str();
    }
};

class Wrong : public CodeGenC {
    std::string PrintExpr(const Expr &n) {
        std::ostringstream os;
        PrintExpr(n, stream);
        return os.str();
    }
};
