// A buffer that was freed holds nothing.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const IfThenElse *op) override {
        const Block *block = op->then_case.as<Block>();
        if (block && !op->else_case.defined() && block->first.as<Free>()) {
            return IfThenElse::make(op->condition, Block::make(block->first, block->rest));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const IfThenElse *op) override {
        const Block *block = op->then_case.as<Block>();
        if (block && !op->else_case.defined() && block->first.as<Free>()) {
            return Block::make(IfThenElse::make(op->condition, block->first),
                               IfThenElse::make(op->condition, block->rest));
        }
        return op;
    }
};
