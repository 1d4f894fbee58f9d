// The second statement of a block that was made of a block is more than what it was made of.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Block *op, const Stmt &self) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        Stmt made = Block::make(first, rest);
        const Block *block = made.as<Block>();
        stmt = Block::make(block->first, block->rest);
    }
};

class Wrong : public IRMutator {
    void visit(const Block *op, const Stmt &self) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        Stmt made = Block::make(first, rest);
        const Block *block = made.as<Block>();
        stmt = Block::make(first, block->rest);
    }
};
