"""Macro for a library with two implementations: one that uses an optional library such as CUDA, one for its absence.

    optional_library(
        name = "step_graph",                  # step_graph.h, step_graph.cc and step_graph_absent.cc
        needs = ["@libtorch//:cuda"],
        deps = ["@cuda//:cudart"],            # deps of step_graph.cc
    )
"""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":library.bzl", "AS_IT_IS", "precompiled", "with_abseil")

def optional_library(
        name,
        needs,
        deps = [],
        interface = None,
        interface_deps = [],
        srcs = None,
        public = False,
        precompiled_header = None,
        target_compatible_with = []):
    """Defines NAME_present and NAME_absent with one header, and the alias NAME of the one that can be built.

    Args:
      name: name of the alias; the files are NAME.h, NAME.cc and NAME_absent.cc
      needs: config_settings, all of which must hold for NAME_present to be chosen
      deps: dependencies of NAME_present in addition to the header's library and Abseil
      interface: library of the header; default: NAME_interface, which this macro defines for NAME.h
      interface_deps: dependencies of NAME_interface in addition to Abseil
      srcs: sources of NAME_present instead of NAME.cc
      public: True: NAME is visible to all packages; False: to its own package only
      precompiled_header: name of the header of third_party/precompiled with which both sources begin; default: none
      target_compatible_with: constraints of all these libraries
    """
    if interface == None:
        interface = ":%s_interface" % name
        cc_library(
            name = name + "_interface",
            hdrs = [name + ".h"],
            target_compatible_with = target_compatible_with,
            deps = with_abseil(interface_deps),
        )
    first = precompiled(precompiled_header) if precompiled_header else AS_IT_IS
    cc_library(
        name = name + "_present",
        srcs = srcs or [name + ".cc"],
        copts = first.copts,
        tags = ["manual"],  # Only the alias decides whether it can be built.
        target_compatible_with = target_compatible_with,
        deps = [interface] + with_abseil(deps) + first.deps,
    )
    cc_library(
        name = name + "_absent",
        srcs = [name + "_absent.cc"],
        copts = first.copts,
        target_compatible_with = target_compatible_with,
        deps = with_abseil([interface]) + first.deps,
    )

    # One select per setting, since a select has no "and". The last setting is tested last.
    chosen = name + "_present"
    for index in range(len(needs) - 1, -1, -1):
        step = "%s_if_%d" % (name, index) if index else name
        native.alias(
            name = step,
            actual = select({needs[index]: ":" + chosen, "//conditions:default": ":%s_absent" % name}),
            visibility = ["//visibility:public"] if public and not index else ["//visibility:private"],
        )
        chosen = step
