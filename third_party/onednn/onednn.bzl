"""Finds oneDNN 2 or 3: LOCKSTEP_ONEDNN_ROOT, /usr, /usr/local. Without it @onednn is an empty library."""

load(
    "//third_party/system:system_library.bzl",
    "ARM64_VARIABLES",
    "default_prefixes",
    "find_in_folders",
    "is_searched_anyway",
    "target_multiarch",
)

_VARIABLE = "LOCKSTEP_ONEDNN_ROOT"

_FOUND = """load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "onednn",
    hdrs = glob(["include/**/*.h*"]),
    defines = ["LOCKSTEP_HAVE_ONEDNN"],
    includes = ["include"],
    linkopts = [%s"-ldnnl", "-lgomp"],
    visibility = ["//visibility:public"],
)
"""

_ABSENT = """load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "onednn",
    visibility = ["//visibility:public"],
)
"""

# Returns true for versions whose interface benchmarks/onednn_versions.h supports.
def _is_known_version(repository_ctx, headers):
    version = repository_ctx.read(headers.get_child("dnnl").get_child("dnnl_version.h"))
    return "DNNL_VERSION_MAJOR 2\n" in version or "DNNL_VERSION_MAJOR 3\n" in version

def _onednn_impl(repository_ctx):
    root = repository_ctx.os.environ.get(_VARIABLE, "")
    arch = target_multiarch(repository_ctx)
    for prefix in [root] if root else default_prefixes(repository_ctx):
        headers = find_in_folders(repository_ctx, [prefix + "/include"], "oneapi")
        library = find_in_folders(repository_ctx, [prefix + "/lib", prefix + "/lib/" + arch, prefix + "/lib64"], "libdnnl.so")
        if headers and library and _is_known_version(repository_ctx, headers):
            repository_ctx.symlink(headers, "include/oneapi")
            folder = library.dirname
            search = "" if is_searched_anyway(repository_ctx, prefix) else '"-L%s", "-Wl,-rpath,%s", ' % (folder, folder)
            repository_ctx.file("BUILD", _FOUND % search)
            return
    if root:
        fail("%s is %s, which has no include/oneapi/dnnl of version 2 or 3 and lib/libdnnl.so; unset it or correct it." % (_VARIABLE, root))
    repository_ctx.file("BUILD", _ABSENT)

onednn_repository = repository_rule(
    implementation = _onednn_impl,
    environ = [_VARIABLE] + ARM64_VARIABLES,
    local = True,
    configure = True,
)
