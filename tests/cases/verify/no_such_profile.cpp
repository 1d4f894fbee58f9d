// command: verify FILE --profile llvm
// exit: 2
// error[HAL1102]: there is no profile `llvm`
//  = hint: use one of halide, halide-to-hardware, halide-hls, heterocl, tvm
//
