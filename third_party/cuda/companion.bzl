"""Repository rule for an NVIDIA library that accompanies CUDA: NCCL and cuDNN.

Search order, first folder with both header and library wins; nothing is ever downloaded:
  1. the environment variable <NAME>_HOME, a prefix with include/ and lib/;
  2. the copy that LibTorch's wheel brought (nvidia/<name>), so that one process holds one version;
  3. the CUDA toolkit;
  4. /usr.
Without it the repository is still valid: its target is skipped, and if_<name>() takes its second branch.
"""

load("//third_party/cuda:cuda.bzl", "find_cuda_home")
load("//third_party/libtorch:libtorch.bzl", "LIBTORCH_ENVIRON", "find_libtorch")
load("//third_party/system:system_library.bzl", "apparent_name", "find_in_folders", "multiarch")

def _prefixes(repository_ctx):
    prefixes = []
    torch = find_libtorch(repository_ctx)
    if torch:
        prefixes.append("%s/../nvidia/%s" % (torch.root, apparent_name(repository_ctx)))
    cuda = find_cuda_home(repository_ctx)
    if cuda:
        prefixes.append(cuda)
    return prefixes + ["/usr"]

def _find(repository_ctx, prefix):
    """Returns the paths of the header's and the library's folders below prefix, or None."""
    arch = multiarch(repository_ctx)
    header = find_in_folders(repository_ctx, [prefix + "/include", prefix + "/include/" + arch], repository_ctx.attr.header)
    library = find_in_folders(repository_ctx, [prefix + "/lib", prefix + "/lib64", prefix + "/lib/" + arch], repository_ctx.attr.library)
    return struct(include = header.dirname, lib = library.dirname) if header and library else None

def _detect(repository_ctx):
    home = repository_ctx.os.environ.get(repository_ctx.attr.override, "")
    if home:
        found = _find(repository_ctx, home)
        if not found:
            fail("%s=%s: expected include/%s and lib/%s there. Set %s to another folder, or unset it to search LibTorch, CUDA and /usr." %
                 (repository_ctx.attr.override, home, repository_ctx.attr.header, repository_ctx.attr.library, repository_ctx.attr.override))
        return found
    for prefix in _prefixes(repository_ctx):
        found = _find(repository_ctx, prefix)
        if found:
            return found
    return None

def _companion_repository_impl(repository_ctx):
    found = _detect(repository_ctx)
    name = apparent_name(repository_ctx)
    if found:
        for entry in found.include.readdir():
            if entry.basename.startswith(name):
                repository_ctx.symlink(entry, "include/" + entry.basename)
    repository_ctx.template("BUILD", repository_ctx.attr._build, {
        "%{lib}": str(found.lib) if found else "",
        "%{library}": repository_ctx.attr.library,
        "%{name}": name,
        "%{present}": str(bool(found)),
    })
    repository_ctx.template("defs.bzl", repository_ctx.attr._defs, {"%{name}": name})

companion_repository = repository_rule(
    implementation = _companion_repository_impl,
    attrs = {
        "header": attr.string(mandatory = True, doc = "For example nccl.h."),
        "library": attr.string(mandatory = True, doc = "For example libnccl.so.2."),
        "override": attr.string(mandatory = True, values = ["CUDNN_HOME", "NCCL_HOME"]),
        "_build": attr.label(default = "//third_party/cuda:companion.BUILD"),
        "_defs": attr.label(default = "//third_party/cuda:companion_defs.bzl.tpl"),
    },
    environ = ["CUDA_HOME", "CUDNN_HOME", "NCCL_HOME", "PATH"] + LIBTORCH_ENVIRON,
    local = True,
    configure = True,
)
