// command: verify FILE --profile halide --cache /no/such/folder/answers
// exit: 2
// error[HAL1103]: cannot use the cache `/no/such/folder/answers`: entity not found
//  = hint: look at the solver and the cache's folder
//
