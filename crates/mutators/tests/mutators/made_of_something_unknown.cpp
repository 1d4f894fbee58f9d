// Nothing is known about a statement with a name that is not known.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt loop = For::make(gpu_thread_name(0), 0, 0, ForType::GPUThread, Partition::Never,
                              DeviceAPI::None, op->first);
        if (loop.same_as(op->first)) {
            return op;
        }
        return Block::make(op->first, op->rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) override {
        Stmt loop = For::make(gpu_thread_name(0), 0, 0, ForType::GPUThread, Partition::Never,
                              DeviceAPI::None, op->first);
        return Block::make(loop, op->rest);
    }
};
