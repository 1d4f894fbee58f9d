// A method prints C if it calls a function that prints, of a base that is not seen, too.
// wrong: wrong

class Right : public CodeGenC {
    void VisitExpr_(const Add *op, std::ostream &os) {
        os << "((";
        PrintType(op->type, os);
        os << ")(";
        PrintExpr(op->a, os);
        os << " + ";
        PrintExpr(op->b, os);
        os << "))";
    }
};

class Wrong : public CodeGenC {
    void VisitExpr_(const Add *op, std::ostream &os) {
        os << "((";
        PrintType(op->type, os);
        os << ")(";
        PrintExpr(op->a, os);
        os << " - ";
        PrintExpr(op->b, os);
        os << "))";
    }
};
