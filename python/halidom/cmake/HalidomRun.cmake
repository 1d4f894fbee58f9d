# Judges a library during the build: `cmake -DHALIDOM=… -DNAME=… -DVERDICT=… -DSTRICT=… -DPYTHON=…
# -P HalidomRun.cmake -- OPTION…`. Writes the verdict, and fails if it is `refuted`, if there is no
# verdict, or, with STRICT, unless it is `proved`. The options are those of `halidom validate`; with
# -DHALIDE=FOLDER, the words are a command that compiles with this Halide.

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
file(REMOVE_RECURSE "${stem}.replay" "${stem}.report")

# Runs a command with the library for LD_PRELOAD, and takes the worst verdict on what it compiles.
function(preloaded)
    set(status 2 PARENT_SCOPE)
    set(said "" PARENT_SCOPE)
    file(WRITE "${VERDICT}.part" "{}")
    execute_process(
        COMMAND "${HALIDOM}" preload --halide "${HALIDE}"
        OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_VARIABLE words_of_preload
        RESULT_VARIABLE status_of_preload
    )
    if (NOT status_of_preload EQUAL 0)
        set(said "${words_of_preload}" PARENT_SCOPE)
        return()
    endif ()
    file(MAKE_DIRECTORY "${stem}.made")
    set(limit "")
    if (LIMIT)
        set(limit "HALIDOM_PRELOAD_LIMIT=${LIMIT}")
    endif ()
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env "LD_PRELOAD=${library}"
        "HALIDOM_PRELOAD_REPORT=${stem}.report" "HALIDOM_PRELOAD_SUMMARY=${stem}.made/summary.txt"
        ${limit} ${words} -o "${stem}.made"
        OUTPUT_QUIET
        ERROR_VARIABLE words_of_command
        RESULT_VARIABLE status_of_command
    )
    file(REMOVE_RECURSE "${stem}.made")
    set(said "${words_of_command}" PARENT_SCOPE)
    if (NOT status_of_command EQUAL 0)
        return()
    endif ()
    # The exit statuses from the best to the worst; a file without one has no verdict.
    set(ranks 0 3 1 2 4)
    set(worst -1)
    file(GLOB verdicts "${stem}.report/*.json")
    list(FILTER verdicts EXCLUDE REGEX "/summary\\.json$")
    foreach (file IN LISTS verdicts)
        file(READ "${file}" text)
        string(JSON exit ERROR_VARIABLE missing GET "${text}" exit)
        list(FIND ranks "${exit}" rank)
        if (missing OR rank EQUAL -1)
            set(rank 3)
            set(exit 2)
        endif ()
        if (rank GREATER worst)
            set(worst ${rank})
            set(status ${exit} PARENT_SCOPE)
            file(COPY_FILE "${file}" "${VERDICT}.part")
        endif ()
    endforeach ()
    # A compile that was not written leaves no verdict.
    file(READ "${stem}.report/summary.json" summary)
    string(JSON count LENGTH "${summary}" pipelines)
    if (count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach (number RANGE ${last})
            string(JSON word GET "${summary}" pipelines ${number} verdict)
            if (word STREQUAL "not judged")
                string(JSON why GET "${summary}" pipelines ${number} statement)
                set(said "${why}" PARENT_SCOPE)
                set(status 2 PARENT_SCOPE)
            endif ()
        endforeach ()
    endif ()
endfunction()

if (DEFINED HALIDE)
    preloaded()
else ()
    execute_process(
        COMMAND "${HALIDOM}" validate --json --replay "${stem}.replay" ${words}
        OUTPUT_FILE "${VERDICT}.part"
        ERROR_VARIABLE said
        RESULT_VARIABLE status
    )
endif ()
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
set(command "${HALIDOM} validate ${words}")
if (DEFINED HALIDE)
    set(command "LD_PRELOAD=$(${HALIDOM} preload --halide ${HALIDE}) ${words}")
endif ()
message(FATAL_ERROR
        "${NAME} has no verdict (${status}) from `${command}`. HALIDOM_EXCLUDE=${NAME} leaves it out")
