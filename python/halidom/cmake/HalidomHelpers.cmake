# The functions of the package, and the wrapper around `add_halide_library`.

include_guard(GLOBAL)

option(HALIDOM_VALIDATE "Judge every library that add_halide_library makes" OFF)
option(HALIDOM_VALIDATE_STRICT "Fail the build unless every verdict is `proved`" OFF)
set(HALIDOM_LIMIT "" CACHE STRING "Seconds for one verdict; empty for the default of `halidom`")
set(HALIDOM_EXCLUDE "" CACHE STRING "Libraries that HALIDOM_VALIDATE does not judge")

set_property(GLOBAL PROPERTY HALIDOM_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# The values of `add_halide_library` that determine a pipeline.
define_property(TARGET PROPERTY HALIDOM_FROM BRIEF_DOCS "The generator's target")
define_property(TARGET PROPERTY HALIDOM_GENERATOR BRIEF_DOCS "The generator's name")
define_property(TARGET PROPERTY HALIDOM_PARAMS BRIEF_DOCS "The generator's parameters")
define_property(TARGET PROPERTY HALIDOM_PLUGINS BRIEF_DOCS "The targets of its plug-ins")
define_property(TARGET PROPERTY HALIDOM_TARGETS BRIEF_DOCS "The machines, in Halide's words")
define_property(TARGET PROPERTY HALIDOM_DEPENDS BRIEF_DOCS "What the generator reads")
define_property(TARGET PROPERTY HALIDOM_GRADIENTS BRIEF_DOCS "Whether it computes gradients")

##
# halidom_validate(TARGET <library>
#                  [FROM <generator target>] [GENERATOR <name>] [PARAMS <name>=<value>...]
#                  [PLUGINS <target>...] [TARGETS <machine>...] [DEPENDS <file or target>...]
#                  [ASSUME <condition>...] [LIMIT <seconds>] [STRICT] [OPTIONS <word>...])
#
# Judges what Halide compiles for a library of `add_halide_library`. The second and third line are
# needed only if the library was made before find_package(Halidom) or find_package(Halide). Then
# FROM and TARGETS are required. Otherwise they may only repeat what is known, and DEPENDS adds to
# it.
#
# Makes the verdict, <library>.halidom.json (<library>-<machine>.halidom.json if there are several),
# a test of this name without its extension, and a target <library>.halidom, on which the library
# depends. OPTIONS are further options of `halidom validate`.
##
function(halidom_validate)
    cmake_parse_arguments(
        PARSE_ARGV 0 ARG "STRICT" "TARGET;FROM;GENERATOR;LIMIT"
        "PARAMS;PLUGINS;TARGETS;DEPENDS;ASSUME;OPTIONS"
    )
    if (ARG_UNPARSED_ARGUMENTS OR NOT ARG_TARGET)
        message(FATAL_ERROR "usage: halidom_validate(TARGET <library> ...), and not: ${ARGV}")
    endif ()
    set(library "${ARG_TARGET}")
    if (NOT TARGET "${library}")
        message(FATAL_ERROR "halidom_validate: there is no target `${library}`")
    endif ()
    get_property(is_known TARGET "${library}" PROPERTY HALIDOM_FROM SET)
    foreach (name IN ITEMS FROM GENERATOR PARAMS PLUGINS TARGETS)
        if (is_known)
            get_property(known TARGET "${library}" PROPERTY HALIDOM_${name})
            if (DEFINED ARG_${name} AND NOT "${ARG_${name}}" STREQUAL "${known}")
                message(FATAL_ERROR
                        "halidom_validate: `${library}` was made with ${name} `${known}`, and not "
                        "`${ARG_${name}}`: leave ${name} out")
            endif ()
            set(ARG_${name} "${known}")
        elseif (name MATCHES "FROM|TARGETS" AND NOT ARG_${name})
            message(FATAL_ERROR
                    "halidom_validate: how `${library}` was made is not known. Call "
                    "find_package(Halide) and find_package(Halidom) before add_halide_library, or "
                    "name the generator with FROM, and the machines with TARGETS")
        endif ()
    endforeach ()
    if (TARGET "${library}.halidom")
        # HALIDOM_VALIDATE was faster.
        if (ARG_DEPENDS OR ARG_ASSUME OR ARG_LIMIT OR ARG_STRICT OR ARG_OPTIONS)
            message(FATAL_ERROR
                    "halidom_validate: HALIDOM_VALIDATE judges `${library}` already, without the "
                    "options that are given here: list it in HALIDOM_EXCLUDE")
        endif ()
        return()
    endif ()

    if (NOT ARG_GENERATOR)
        set(ARG_GENERATOR "${library}")
    endif ()
    get_property(known TARGET "${library}" PROPERTY HALIDOM_DEPENDS)
    list(APPEND ARG_DEPENDS ${known})

    if (NOT ARG_LIMIT)
        set(ARG_LIMIT "${HALIDOM_LIMIT}")
    endif ()
    _halidom_generator(generator "${ARG_FROM}")
    _halidom_command(command depends "${generator}")
    list(TRANSFORM ARG_PLUGINS REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE plugins)
    get_property(is_python TARGET "${generator}" PROPERTY Halide_PYTHON_GENERATOR_SOURCE SET)
    get_target_property(gradients "${library}" HALIDOM_GRADIENTS)
    if (is_python)
        # Such a generator is no program of its own. It runs as in the build, and the library for
        # LD_PRELOAD sees its compile.
        if (ARG_ASSUME OR ARG_OPTIONS)
            message(FATAL_ERROR "halidom_validate: ASSUME and OPTIONS are not for `${library}`, "
                    "whose generator is in Python")
        endif ()
        cmake_path(SET halide NORMALIZE "${Halide_DIR}/../../..")
        set(how "-DHALIDE=${halide}" "-DLIMIT=${ARG_LIMIT}" "-DFUNCTION=${library}")
        set(words ${command} -n "${library}" -f "${library}" -g "${ARG_GENERATOR}" -e object
            -d "$<BOOL:${gradients}>")
        if (plugins)
            list(JOIN plugins "," plugins)
            list(APPEND words -p "${plugins}")
        endif ()
        set(target "target=")
    else ()
        set(how "")
        set(words --generator ${command} -g "${ARG_GENERATOR}")
        if (gradients)
            list(APPEND words --gradient-descent)
        endif ()
        foreach (plugin IN LISTS plugins)
            list(APPEND words --plugin "${plugin}")
        endforeach ()
        foreach (condition IN LISTS ARG_ASSUME)
            list(APPEND words --assume "${condition}")
        endforeach ()
        if (ARG_LIMIT)
            list(APPEND words --limit "${ARG_LIMIT}")
        endif ()
        list(APPEND words ${ARG_OPTIONS})
        set(target "--target=")
    endif ()
    if (HALIDOM_VALIDATE_STRICT)
        set(ARG_STRICT TRUE)
    endif ()

    get_property(scripts GLOBAL PROPERTY HALIDOM_CMAKE_DIR)
    _halidom_python(python)
    list(LENGTH ARG_TARGETS count)
    set(verdicts "")
    foreach (machine IN LISTS ARG_TARGETS)
        set(name "${library}")
        if (count GREATER 1)
            set(name "${library}-${machine}")
        endif ()
        set(verdict "${CMAKE_CURRENT_BINARY_DIR}/${name}.halidom.json")
        list(APPEND verdicts "${verdict}")
        set(command "${CMAKE_COMMAND}" "-DHALIDOM=${HALIDOM_EXECUTABLE}" "-DNAME=${name}"
            "-DVERDICT=${verdict}" "-DSTRICT=${ARG_STRICT}" "-DPYTHON=${python}" ${how}
            -P "${scripts}/HalidomRun.cmake" --
            ${words} "${target}${machine}" ${ARG_PARAMS})
        # `make` does not notice that a command changes, but that a file does.
        set(record "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.halidom.$<CONFIG>.txt")
        file(GENERATE OUTPUT "${record}" CONTENT "${command}\n")
        add_custom_command(
            OUTPUT "${verdict}"
            COMMAND ${command}
            DEPENDS ${depends} ${ARG_PLUGINS} ${ARG_DEPENDS} "${HALIDOM_EXECUTABLE}" "${record}"
            "${scripts}/HalidomRun.cmake"
            COMMENT "Judging ${name}"
            VERBATIM
        )
        add_test(NAME "${name}.halidom"
                 COMMAND "${CMAKE_COMMAND}" "-DNAME=${name}" "-DVERDICT=${verdict}"
                 -P "${scripts}/HalidomTest.cmake")
        set_tests_properties("${name}.halidom" PROPERTIES
                             LABELS halidom
                             SKIP_REGULAR_EXPRESSION "halidom skips this test")
    endforeach ()
    add_custom_target("${library}.halidom" ALL DEPENDS ${verdicts})
    add_dependencies("${library}" "${library}.halidom")
    set_property(GLOBAL APPEND PROPERTY HALIDOM_JUDGED "${library}")
endfunction()

# The target of a generator. A project that is compiled for another machine has a longer name for it.
function(_halidom_generator out from)
    if (NOT TARGET "${from}")
        set(from "${PROJECT_NAME}::halide_generators::${from}")
    endif ()
    set(${out} "${from}" PARENT_SCOPE)
endfunction()

# The command that runs a generator, and its dependencies.
function(_halidom_command out_command out_depends generator)
    get_property(source TARGET "${generator}" PROPERTY Halide_PYTHON_GENERATOR_SOURCE)
    set(command "$<TARGET_FILE:${generator}>")
    set(library "")
    if (source)
        set(library Halide::Python)
        set(command "${CMAKE_COMMAND}" -E env
            "PYTHONPATH=$<PATH:NORMAL_PATH,$<TARGET_FILE_DIR:Halide::Python>/..>"
            "$<TARGET_FILE:Python::Interpreter>" "${source}")
    endif ()
    set(${out_command} ${command} PARENT_SCOPE)
    set(${out_depends} "${generator}" ${source} ${library} PARENT_SCOPE)
endfunction()

# The Python whose package Halide was found in. Halidom compiles statements with it.
function(_halidom_python out)
    set(${out} "" PARENT_SCOPE)
    if (DEFINED ENV{HALIDOM_PYTHON})
        return()
    endif ()
    # lib64/cmake/Halide, in `halide`, in site-packages, in python3.N, in lib.
    cmake_path(SET python NORMALIZE "${Halide_DIR}/../../../../../../../bin/python")
    if (EXISTS "${python}")
        set(${out} "${python}" PARENT_SCOPE)
    endif ()
endfunction()

# Keeps the values of a call of `add_halide_library`, and judges the library if HALIDOM_VALIDATE is
# on. Reads the arguments as Halide's own function does.
function(_halidom_after_library library)
    set(of_platforms ${ARGN})
    list(FILTER of_platforms INCLUDE REGEX "^FEATURES\\[")
    # Every keyword of add_halide_library: a value ends where the next keyword begins.
    set(outputs
        ASSEMBLY BITCODE COMPILER_LOG CONCEPTUAL_STMT CONCEPTUAL_STMT_HTML C_SOURCE DEVICE_CODE
        FEATURIZATION FUNCTION_INFO_HEADER HLPIPE LLVM_ASSEMBLY PYTHON_EXTENSION PYTORCH_WRAPPER
        REGISTRATION SCHEDULE STMT STMT_HTML)
    set(one
        FROM GENERATOR FUNCTION_NAME NAMESPACE USE_RUNTIME AUTOSCHEDULER HEADER ${outputs}
        NO_THREADS NO_DL_LIBS)
    cmake_parse_arguments(
        ARG "C_BACKEND;GRADIENT_DESCENT" "${one}"
        "DEPENDS;TARGETS;PARAMS;PLUGINS;FEATURES;${of_platforms}" ${ARGN}
    )
    if (NOT TARGET "${library}")
        return()
    endif ()
    if (NOT ARG_GENERATOR)
        set(ARG_GENERATOR "${library}")
    endif ()
    if (NOT ARG_TARGETS)
        set(ARG_TARGETS "${Halide_TARGET}")
    endif ()
    if (NOT ARG_TARGETS)
        set(ARG_TARGETS host)
        if (NOT Halide_HOST_TARGET STREQUAL Halide_CMAKE_TARGET)
            set(ARG_TARGETS cmake)
        endif ()
    endif ()
    list(JOIN ARG_FEATURES "-" features)
    list(LENGTH Halide_CMAKE_TARGET platforms)
    if ("${ARG_TARGETS}" MATCHES "cmake" AND platforms GREATER 1)
        set(ARG_TARGETS "")
        foreach (platform IN LISTS Halide_CMAKE_TARGET)
            set(of_platform "ARG_FEATURES[${platform}]")
            set(machines "${platform}")
            if (${of_platform})
                set(machines ${${of_platform}})
                list(TRANSFORM machines PREPEND "${platform}-")
            endif ()
            list(APPEND ARG_TARGETS ${machines})
        endforeach ()
    else ()
        list(TRANSFORM ARG_TARGETS REPLACE "cmake" "${Halide_CMAKE_TARGET}")
    endif ()
    if (features)
        list(TRANSFORM ARG_TARGETS APPEND "-${features}")
    endif ()
    if (ARG_AUTOSCHEDULER)
        if (ARG_AUTOSCHEDULER MATCHES "::")
            list(APPEND ARG_PLUGINS "${ARG_AUTOSCHEDULER}")
            string(REGEX REPLACE ".*::(.*)" "\\1" ARG_AUTOSCHEDULER "${ARG_AUTOSCHEDULER}")
        endif ()
        list(PREPEND ARG_PARAMS "autoscheduler=${ARG_AUTOSCHEDULER}")
    endif ()

    foreach (name IN ITEMS FROM GENERATOR PARAMS PLUGINS TARGETS DEPENDS)
        set_property(TARGET "${library}" PROPERTY HALIDOM_${name} "${ARG_${name}}")
    endforeach ()
    set_property(TARGET "${library}" PROPERTY HALIDOM_GRADIENTS "${ARG_GRADIENT_DESCENT}")
    if (NOT HALIDOM_VALIDATE)
        return()
    endif ()
    set_property(GLOBAL APPEND PROPERTY HALIDOM_SEEN "${library}")
    if (library IN_LIST HALIDOM_EXCLUDE)
        message(STATUS "Halidom: ${library} is not judged, by HALIDOM_EXCLUDE")
    else ()
        halidom_validate(TARGET "${library}")
    endif ()
endfunction()

# Replaces `add_halide_library`. Halide defines it anew in each find_package(Halide), so this
# follows each of them. CMake keeps only one former definition, as `_add_halide_library`; reading
# Halide's file once more makes it Halide's own, however often this is called.
function(_halidom_wrap)
    if (NOT EXISTS "${HalideHelpers_DIR}/HalideGeneratorHelpers.cmake")
        message(WARNING "Halidom: `add_halide_library` is not from a package, so its libraries are "
                "judged only by halidom_validate")
        return()
    endif ()
    # By this name, Halide's file knows that it has printed its targets before.
    set(CMAKE_FIND_PACKAGE_NAME HalideHelpers)
    set(HalideHelpers_FIND_QUIETLY TRUE)
    include("${HalideHelpers_DIR}/HalideGeneratorHelpers.cmake")
    get_property(scripts GLOBAL PROPERTY HALIDOM_CMAKE_DIR)
    include("${scripts}/HalidomWrap.cmake")
endfunction()

# CMake calls this when a variable changes.
function(_halidom_found variable access value)
    if (access STREQUAL "MODIFIED_ACCESS" AND value AND COMMAND add_halide_library)
        _halidom_wrap()
    endif ()
endfunction()

# Prints what is judged, at the end of the configuration.
function(_halidom_report)
    if (NOT HALIDOM_VALIDATE)
        return()
    endif ()
    get_property(judged GLOBAL PROPERTY HALIDOM_JUDGED)
    get_property(seen GLOBAL PROPERTY HALIDOM_SEEN)
    if (judged)
        list(JOIN judged ", " names)
        message(STATUS "Halidom: the build judges ${names}")
    elseif (NOT seen)
        message(WARNING "Halidom: HALIDOM_VALIDATE is on, and no call of add_halide_library was seen")
    endif ()
endfunction()

# A watch follows find_package(Halide) wherever it is called. A dependency provider could do the
# same, but a build has only one, and package managers take it.
variable_watch(Halide_FOUND _halidom_found)
if (COMMAND add_halide_library)
    _halidom_wrap()
endif ()
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _halidom_report)
