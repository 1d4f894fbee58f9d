# find_package(Halidom): `halidom_validate`, and every call of `add_halide_library` judged if
# HALIDOM_VALIDATE is on. The guide's page on CMake describes both.

cmake_minimum_required(VERSION 3.28)

# A wheel puts the program into the environment's `bin`, four folders above this one's parent;
# `pip install --target DIR` puts it into DIR/bin.
find_program(
    HALIDOM_EXECUTABLE halidom
    HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../bin"
    DOC "The program `halidom`"
)
if (NOT HALIDOM_EXECUTABLE)
    set(Halidom_FOUND FALSE)
    set(Halidom_NOT_FOUND_MESSAGE
        "the program `halidom` is not on the PATH: set HALIDOM_EXECUTABLE")
    return()
endif ()

include("${CMAKE_CURRENT_LIST_DIR}/HalidomHelpers.cmake")
