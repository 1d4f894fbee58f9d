# The test of a verdict: `cmake -DNAME=… -DVERDICT=… -P HalidomTest.cmake` passes if it is `proved`,
# and prints words by which CTest skips the test if it is `unknown`. Anything else fails.

cmake_minimum_required(VERSION 3.28)

if (NOT EXISTS "${VERDICT}")
    message(FATAL_ERROR "${NAME} has no verdict: build it first, or see what the build says of it")
endif ()
file(READ "${VERDICT}" text)
string(JSON verdict GET "${text}" verdict)
string(JSON statement GET "${text}" statement)
message(NOTICE "${NAME}: ${statement}")
if (verdict STREQUAL "unknown")
    message(NOTICE "halidom skips this test")
elseif (NOT verdict STREQUAL "proved")
    message(FATAL_ERROR "${NAME}: ${verdict}")
endif ()
