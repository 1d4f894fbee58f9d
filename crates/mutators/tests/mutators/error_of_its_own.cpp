// A function with the name of an error need not end the compiler.
// wrong: unsupported
// right: rejects

void user_error(const std::string &message) {
}

class Right : public IRMutator {
    Expr visit(const Add *op) {
        internal_error << "an addition";
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        user_error("an addition");
        return op->a;
    }
};
