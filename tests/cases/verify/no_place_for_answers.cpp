// command: verify FILE --profile halide --cache /no/such/folder/answers
