// command: verify FILE --profile tvm
// A mutator of Halide is no transformation of TVM.
class Identity : public IRMutator {
  Expr visit(const Add *op) override {
    return Add::make(mutate(op->a), mutate(op->b));
  }
};
// exit: 2
// error[HAL0913]: there is nothing to judge: the files have no rule that a type reaches, and no mutator
//  = hint: give the C++ files that hold the transformations of the profile's compiler; `--list` names the mutators that are seen
//
