// What the C++ side of the bridge offers to others. Each function returns 0, or another number with
// the words of an error.

#pragma once

#include <cstddef>

// Compiles a pipeline as `compile_to_conceptual_stmt` does, and writes the statement in both forms;
// also the object file, if one is requested. The pipeline is that of a file, if one is named, or
// else the one at an address. The names of its outputs, each after a line break, serve to check the
// address.
extern "C" int halidom_compile(void *pipeline, const char *outputs, const char *file,
                               const char *target, const char *statement, const char *dump,
                               const char *object, char *words, size_t size);

// Writes a pipeline to a file.
extern "C" int halidom_serialize(void *pipeline, const char *outputs, const char *file, char *words,
                                 size_t size);

// Writes BASE.name, BASE.hlpipe and BASE.dump of a pipeline that a generator has compiled (keep.c).
extern "C" int halidom_keep(void *pipeline, const void *module, const char *base, char *words,
                            size_t size);
