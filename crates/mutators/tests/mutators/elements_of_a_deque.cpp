// An element takes the type that its container names, and may be cut off.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::deque<uint16_t> widths;
        widths.push_back(256);
        std::list<Expr> operands;
        operands.push_back(mutate(op->a));
        operands.push_back(mutate(op->b));
        if (widths.front() == 0) {
            return operands.front();
        }
        return Sub::make(operands.front(), operands.back());
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::deque<uint8_t> widths;
        widths.push_back(256);
        std::list<Expr> operands;
        operands.push_back(mutate(op->a));
        operands.push_back(mutate(op->b));
        if (widths.front() == 0) {
            return operands.front();
        }
        return Sub::make(operands.front(), operands.back());
    }
};
