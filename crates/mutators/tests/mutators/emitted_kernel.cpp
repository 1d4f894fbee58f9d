// A kernel is called with its arguments in their order.
// wrong: undecided
// right: bounded

class Right : public IRVisitor {
    std::string id;

    void VisitExpr_(const KernelExpr *op, std::ostream &os) {
        os << op->name << "(";
        for (size_t i = 0; i < op->args.size(); ++i) {
            PrintExpr(op->args[i], os);
            if (i != op->args.size() - 1) os << ", ";
        }
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void VisitExpr_(const KernelExpr *op, std::ostream &os) {
        os << op->name << "(";
        for (size_t i = 0; i < op->args.size(); ++i) {
            PrintExpr(op->args[op->args.size() - 1 - i], os);
            if (i != op->args.size() - 1) os << ", ";
        }
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
