// A statement that calls a pure function does nothing; of another function, this is not known.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const ProducerConsumer *op) override {
        Stmt body = mutate(op->body);
        Expr zero = make_zero(Int(32));
        Stmt call = Evaluate::make(Call::make(Int(32), Call::bitwise_not, {zero}, Call::PureIntrinsic));
        return ProducerConsumer::make(op->name, op->is_producer, Block::make(call, body));
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const ProducerConsumer *op) override {
        Stmt body = mutate(op->body);
        Expr zero = make_zero(Int(32));
        Stmt call = Evaluate::make(Call::make(Int(32), "halide_abort", {zero}, Call::Extern));
        return ProducerConsumer::make(op->name, op->is_producer, Block::make(call, body));
    }
};
