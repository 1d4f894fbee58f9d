// command: verify FILE --profile halide --bits 7
int twice(int x) {
    return x + x;
}
// exit: 2
// error[HAL0906]: `7` is no width of `--bits`
//  = hint: give some of 8, 16 and 32
//
