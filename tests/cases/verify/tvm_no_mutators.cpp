// command: verify FILE --profile tvm --threads 1
// A mutator of Halide's IR is not judged by the meaning of TVM's.
class Identity : public IRMutator {
  Expr visit(const Add *op) override {
    return Add::make(mutate(op->a), mutate(op->b));
  }
};
// exit: 3
// Identity::visit(const Add *): unsupported
//   tvm_no_mutators.cpp:4: unsupported: the profile tvm is about rules
// 1 mutators: 1 unsupported
// unknown: tvm_no_mutators.cpp:4: the profile tvm is about rules
