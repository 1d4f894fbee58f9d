// A lambda function may have the name of an error.
// wrong: unsupported
// right: rejects

class Right : public IRMutator {
    Expr visit(const Add *op) {
        user_error << "an addition";
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        auto user_error = [&](const char *message) {};
        user_error("an addition");
        return op->a;
    }
};
