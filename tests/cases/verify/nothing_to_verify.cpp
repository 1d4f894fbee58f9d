// command: verify FILE --profile halide
// A file of C++ without a rule or a mutator.
int twice(int x) {
    return x + x;
}
// exit: 2
// error[HAL0913]: there is nothing to judge: the files have no rule that a type reaches, and no mutator
//  = hint: give the C++ files that hold the compiler's transformations; `--list` names the mutators that are seen
//
