// A block whose first statement is a block becomes a block of that block's own first statement.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        Stmt made = Block::make(first, rest);
        const Block *block = made.as<Block>();
        if (!block->first.same_as(first)) {
            return made;
        }
        return Block::make(block->first, block->rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        Stmt made = Block::make(first, rest);
        const Block *block = made.as<Block>();
        if (!block->first.same_as(first)) {
            return first;
        }
        return made;
    }
};
