#!/bin/sh
# Calls rustc as cargo wants it (RUSTC_WRAPPER), but does not optimize these packages' test programs:
# they run for seconds, or wait for others, and a library with unit tests is compiled once more for
# them. The libraries that other test programs link are compiled as for a release.
case "$CARGO_PKG_NAME" in
    halidom-atl | halidom-cli | halidom-codegen | halidom-cpp | halidom-driver | halidom-halide | \
    halidom-mutators | halidom-rewrites | halidom-schedule | halidom-workshop)
        for word in "$@"; do
            if [ "$word" = --test ]; then
                # The last of several levels counts. At level 0, assertions would be on by default.
                exec "$@" -C opt-level=0 -C debug-assertions=off
            fi
        done
        ;;
esac
exec "$@"
