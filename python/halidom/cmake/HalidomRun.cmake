# Judges a library during the build: `cmake -DHALIDOM=… -DNAME=… -DVERDICT=… -DSTRICT=… -DPYTHON=…
# -P HalidomRun.cmake -- OPTION…`. Writes the verdict, and fails if it is `refuted`, if there is no
# verdict, or, with STRICT, unless it is `proved`.

cmake_minimum_required(VERSION 3.28)

set(words "")
set(begun FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach (number RANGE ${last})
    if (begun)
        list(APPEND words "${CMAKE_ARGV${number}}")
    elseif (CMAKE_ARGV${number} STREQUAL "--")
        set(begun TRUE)
    endif ()
endforeach ()

if (PYTHON)
    set(ENV{HALIDOM_PYTHON} "${PYTHON}")
endif ()
string(REGEX REPLACE "\\.json$" "" stem "${VERDICT}")
# What an earlier build left must not stand for this one.
file(REMOVE "${VERDICT}" "${stem}.failed.json")
file(REMOVE_RECURSE "${stem}.replay")
execute_process(
    COMMAND "${HALIDOM}" validate --json --replay "${stem}.replay" ${words}
    OUTPUT_FILE "${VERDICT}.part"
    ERROR_VARIABLE said
    RESULT_VARIABLE status
)
file(READ "${VERDICT}.part" text)

# Sets a variable to a member of the verdict, or to nothing.
function(member out)
    string(JSON value ERROR_VARIABLE missing GET "${text}" ${ARGN})
    if (missing)
        set(value "")
    endif ()
    set(${out} "${value}" PARENT_SCOPE)
endfunction()

member(verdict verdict)
member(statement statement)
if (status EQUAL 0 AND verdict STREQUAL "proved")
    file(RENAME "${VERDICT}.part" "${VERDICT}")
    message(STATUS "${NAME}: ${statement}")
    return()
endif ()
if (status EQUAL 3 AND verdict STREQUAL "unknown")
    file(RENAME "${VERDICT}.part" "${VERDICT}")
    member(reason reason)
    message(STATUS "${NAME}: unknown: ${reason}")
    if (STRICT)
        # The next build must judge it again.
        file(RENAME "${VERDICT}" "${stem}.failed.json")
        message(FATAL_ERROR "${NAME} is not proved, and STRICT or HALIDOM_VALIDATE_STRICT requires it")
    endif ()
    return()
endif ()

file(RENAME "${VERDICT}.part" "${stem}.failed.json")
if (status EQUAL 1 AND verdict STREQUAL "refuted")
    message(NOTICE "${NAME}: ${statement}")
    member(place place)
    if (place)
        message(NOTICE "  place: ${place}")
    endif ()
    member(algorithm site algorithm text)
    if (algorithm)
        message(NOTICE "  algorithm: ${algorithm}")
    endif ()
    member(code compiled_code said)
    if (code)
        message(NOTICE "  ${code}")
    endif ()
    member(pass pass)
    if (pass)
        message(NOTICE "  pass: wrong after `${pass}`")
    endif ()
    if (EXISTS "${stem}.replay")
        message(NOTICE "  inputs and values: ${stem}.replay")
    endif ()
    message(FATAL_ERROR "Halide compiles ${NAME} wrongly: ${stem}.failed.json")
endif ()
message(NOTICE "${said}")
list(JOIN words " " words)
message(FATAL_ERROR
        "${NAME} has no verdict; `${HALIDOM} validate ${words}` ends with ${status}. "
        "HALIDOM_EXCLUDE=${NAME} leaves it out")
