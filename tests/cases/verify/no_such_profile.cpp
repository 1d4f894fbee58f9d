// command: verify FILE --profile tvm
