#!/bin/sh
# Calls rustc as cargo wants it (RUSTC_WRAPPER), but optimizes these packages' test programs less, or
# not at all: they run for seconds, or wait for others, and a library with unit tests is compiled once
# more for them. The libraries that other test programs link are compiled as for a release.
level=
case "$CARGO_PKG_NAME" in
    halidom-atl | halidom-cli | halidom-codegen | halidom-cpp | halidom-driver | halidom-halide | \
    halidom-mutators | halidom-rewrites | halidom-schedule | halidom-workshop)
        level=0 ;;
    halidom-validate)
        # Its unit tests compute a lot. Small code takes half of the time to compile.
        level=s ;;
esac
if [ -n "$level" ]; then
    for word in "$@"; do
        if [ "$word" = --test ]; then
            # The last of several levels counts. At level 0, assertions would be on by default.
            exec "$@" -C opt-level=$level -C debug-assertions=off
        fi
    done
fi
exec "$@"
