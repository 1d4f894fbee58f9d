// What is returned is the value.
// wrong: undecided

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const Return *op) {
        stream << "return ";
        PrintExpr(op->value, stream);
        stream << ";\n";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const Return *op) {
        stream << "return ";
        PrintExpr(op->value, stream);
        stream << " + 1;\n";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
