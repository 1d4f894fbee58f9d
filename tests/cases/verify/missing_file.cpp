// command: verify no_such_file.cpp --profile halide
// exit: 2
// error[HAL1101]: cannot read `no_such_file.cpp`: No such file or directory (os error 2)
//  = hint: give C++ files of the compiler
//
