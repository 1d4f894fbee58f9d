# The test of a verdict: `cmake -DNAME=… -DVERDICT=… -P HalidomTest.cmake` passes if it is `proved`,
# fails if there is none, and otherwise prints the word `unknown`, by which CTest skips the test.

cmake_minimum_required(VERSION 3.28)

if (NOT EXISTS "${VERDICT}")
    message(FATAL_ERROR "${NAME} has no verdict: build it first, or see what the build says of it")
endif ()
file(READ "${VERDICT}" text)
string(JSON verdict GET "${text}" verdict)
string(JSON statement GET "${text}" statement)
message(NOTICE "${NAME}: ${statement}")
if (NOT verdict STREQUAL "proved" AND NOT verdict STREQUAL "unknown")
    message(FATAL_ERROR "${NAME}: ${verdict}")
endif ()
