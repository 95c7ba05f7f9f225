"""cuda_library: .cu files through nvcc into an ordinary cc_library.

Each source becomes one position-independent object; a cc_library of the given name wraps the objects with
the headers and dependencies, so anything that can depend on a cc_library can depend on a cuda_library.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//third_party/cuda:architectures.bzl", "ArchitecturesInfo", "gencode_flags")
load("//third_party/system:rounding.bzl", "ROUNDING_NVCC_FLAGS")

# No fast-math here: a kernel that needs it has it in its copts, and its test has the tolerance for it.
_NVCC_FLAGS = [
    "-std=c++20",
    "-O3",
    "--threads=1",  # Bazel's scheduler counts one core per action.
    "--expt-relaxed-constexpr",  # constexpr functions of the host, such as std::min, in kernels.
    "-Xcompiler=-fPIC,-Wall,-Wextra,-Wno-unused-parameter",
    "-DNDEBUG",
]

# Folder of the toolkit's repository: external/cuda, or external/_main~installed~cuda.
_CUDA_ROOT = Label("@cuda//:headers").workspace_root + "/"

def _preprocessor_flags(compilation_context):
    """Returns defines and include paths; nvcc finds its own toolkit's headers and has no -iquote."""
    quote = compilation_context.quote_includes.to_list() + compilation_context.includes.to_list()
    system = [path for path in compilation_context.system_includes.to_list() if _CUDA_ROOT not in path]
    flags = ["-D" + define for define in compilation_context.defines.to_list()]
    flags += ["-I" + path for path in ["."] + quote]
    for path in system:
        flags += ["-isystem", path]
    return flags

def _cuda_objects_impl(ctx):
    gencode = gencode_flags(ctx.attr.architectures[ArchitecturesInfo].names, ctx.attr.needs, ctx.attr.known_archs)
    contexts = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    objects = []
    for source in ctx.files.srcs:
        if source.extension != "cu":
            fail("%s: srcs of a cuda_library are .cu files; put host code in a cc_library of its own." % source.path)
        object = ctx.actions.declare_file("%s/%s.pic.o" % (ctx.label.name, source.basename[:-len(".cu")]))
        arguments = ctx.actions.args()
        arguments.add_all(_NVCC_FLAGS + gencode + _preprocessor_flags(contexts) + ctx.attr.copts)
        arguments.add_all(["-c", source, "-o", object])
        ctx.actions.run(
            executable = ctx.attr.cuda_home + "/bin/nvcc",
            arguments = [arguments],
            inputs = depset(ctx.files.srcs + ctx.files.hdrs, transitive = [contexts.headers]),
            outputs = [object],
            mnemonic = "CudaCompile",
            progress_message = "Compiling %s for %d architectures" % (source.short_path, len(gencode)),
            env = {"PATH": "/usr/local/bin:/usr/bin:/bin"},
        )
        objects.append(object)
    return [DefaultInfo(files = depset(objects))]

_cuda_objects = rule(
    implementation = _cuda_objects_impl,
    attrs = {
        "architectures": attr.label(providers = [ArchitecturesInfo]),
        "copts": attr.string_list(),
        "cuda_home": attr.string(),
        "deps": attr.label_list(providers = [CcInfo]),
        "hdrs": attr.label_list(allow_files = True),
        "known_archs": attr.string_list(),
        "needs": attr.string(doc = "The architecture from which on the code runs, as gencode_flags has it."),
        "srcs": attr.label_list(allow_files = True, mandatory = True),
    },
)

def cuda_library(name, srcs, cuda_home, known_archs, requires, hdrs = [], deps = [], copts = [], needs = "", testonly = False, **kwargs):
    """See defs.bzl.tpl, which BUILD files load; the detection rule sets the arguments there."""
    deps = deps + ["@cuda//:cudart"]
    _cuda_objects(
        name = name + "_objects",
        srcs = srcs,
        architectures = "@cuda//:architectures",
        copts = copts + ROUNDING_NVCC_FLAGS,
        cuda_home = cuda_home,
        hdrs = hdrs,
        known_archs = known_archs,
        needs = needs,
        tags = ["manual"],
        target_compatible_with = requires,
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    cc_library(
        name = name,
        srcs = [name + "_objects"],
        hdrs = hdrs,
        target_compatible_with = requires,
        testonly = testonly,
        deps = deps,
        **kwargs
    )
