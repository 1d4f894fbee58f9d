# Judges the libraries of a project that does not know Halidom:
#
#   cmake -B build -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=…/halidom/cmake/HalidomProject.cmake
#
# CMake reads this file at the project's first call of `project()`.

cmake_minimum_required(VERSION 3.28)

option(HALIDOM_VALIDATE "Judge every library that add_halide_library makes" ON)

find_package(Halidom REQUIRED PATHS "${CMAKE_CURRENT_LIST_DIR}" NO_DEFAULT_PATH)
