// command: verify FILE --profile tvm
// exit: 2
// error[HAL1102]: there is no profile `tvm`
//  = hint: use one of halide, halide-to-hardware, halide-hls, heterocl
//
