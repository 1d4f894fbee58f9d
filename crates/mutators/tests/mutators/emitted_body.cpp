// The body of a region is printed once.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const ExternModule *op) {
        PrintStmt(op->body);
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

    void VisitStmt_(const ExternModule *op) {
        PrintStmt(op->body);
        PrintStmt(op->body);
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
