// command: verify FILE --profile tvm
// A file of C++ without a rule; what a comment says is none.
int twice(int x) {
  // TVM_TRY_REWRITE(x + x, x * 2)
  return x + x;
}
// exit: 2
// error[HAL0913]: there is nothing to judge: the files have no rule that a type reaches, and no mutator
//  = hint: give the C++ files that hold the compiler's transformations; `--list` names the mutators that are seen
//
