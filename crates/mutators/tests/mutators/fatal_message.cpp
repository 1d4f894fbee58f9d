// A message that is fatal ends the compiler, another one does not.
// wrong: rejects

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const Evaluate *op) {
        LOG(INFO) << "a value";
        stream << "(void)";
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

    void VisitStmt_(const Evaluate *op) {
        LOG(FATAL) << "a value";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
