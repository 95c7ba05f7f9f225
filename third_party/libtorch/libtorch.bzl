"""Repository rule that finds LibTorch (2.7 or newer), with or without CUDA.

Search order, first hit wins; nothing is ever downloaded:
  1. the environment variable LIBTORCH, a folder with include/ and lib/ (the unpacked LibTorch archive, or
     site-packages/torch);
  2. the workspace's own .venv, which third_party/install.sh makes;
  3. the torch that `python3` on PATH would import.
Without it the repository is still valid: its target is skipped, and requires_torch() marks what needs it.
LOCKSTEP_PYTHON names the interpreter for tests that compare with Python; default: that of 2. or 3.
"""

LIBTORCH_ENVIRON = ["LIBTORCH", "LOCKSTEP_PYTHON", "PATH"]

_EXPECTED = ["include/ATen/ATen.h", "include/torch/csrc/api/include/torch/torch.h", "lib/libtorch.so"]
_MINIMUM = [2, 7]  # From 2.7 on every LibTorch is built with the C++11 ABI.

# Prints the folder of the torch that would be imported, without the seconds that importing it takes.
# The working folder, an empty entry of sys.path, is left out before anything else is imported.
_LOCATE = "import sys; sys.path[:] = [p for p in sys.path if p]; import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"

def _missing(repository_ctx, root):
    return [name for name in _EXPECTED if not repository_ctx.path(root + "/" + name).exists]

def _version(repository_ctx, root):
    """Version text such as 2.11.0+cu130: from build-version (archive) or version.py (wheel)."""
    if repository_ctx.path(root + "/version.py").exists:
        for line in repository_ctx.read(root + "/version.py").splitlines():
            if line.startswith("__version__"):
                return line.split("'")[1]
    archive = repository_ctx.path(root + "/../build-version")
    archive = archive if archive.exists else repository_ctx.path(root + "/build-version")
    return repository_ctx.read(archive).strip() if archive.exists else "0.0"

def _is_old(version):
    return [int(part) for part in version.split(".")[:2]] < _MINIMUM

def _from_environment(repository_ctx, root):
    problem = _missing(repository_ctx, root)
    if problem:
        fail("LIBTORCH=%s: expected a LibTorch, but %s is not there. Set LIBTORCH to another folder, or unset it to search .venv and python3." %
             (root, ", ".join(problem)))
    version = _version(repository_ctx, root)
    if _is_old(version):
        fail("LIBTORCH=%s: expected version 2.7 or newer, found %s." % (root, version))
    return struct(root = root, python = _python_on_path(repository_ctx), version = version)

def _python_on_path(repository_ctx):
    found = repository_ctx.which("python3")
    return str(found) if found else ""

def _candidates(repository_ctx):
    """Interpreters to ask, best first."""
    workspace = repository_ctx.path(Label("@lockstep//:WORKSPACE")).realpath.dirname
    venv = workspace.get_child(".venv").get_child("bin").get_child("python3")
    return ([str(venv)] if venv.exists else []) + [path for path in [_python_on_path(repository_ctx)] if path]

def find_libtorch(repository_ctx):
    """A struct of root, python and version, or None when there is no LibTorch."""
    root = repository_ctx.os.environ.get("LIBTORCH", "")
    if root:
        return _from_environment(repository_ctx, root)
    for python in _candidates(repository_ctx):
        root = repository_ctx.execute([python, "-c", _LOCATE]).stdout.strip()
        if root and not _missing(repository_ctx, root):
            version = _version(repository_ctx, root)
            if not _is_old(version):
                return struct(root = root, python = python, version = version)
    return None

def _library_folders(repository_ctx, root):
    """torch/lib and, for a wheel, the nvidia/*/lib folders beside it."""
    folders = [root + "/lib"]
    nvidia = repository_ctx.path(root + "/../nvidia")
    if nvidia.exists:
        folders += sorted([str(entry.get_child("lib")) for entry in nvidia.readdir() if entry.get_child("lib").exists])
    return folders

def _libtorch_repository_impl(repository_ctx):
    found = find_libtorch(repository_ctx)
    cuda, folders = False, []
    if found:
        # All but `google`: it holds protobuf headers of another version than ours.
        for entry in repository_ctx.path(found.root + "/include").readdir():
            if entry.basename != "google":
                repository_ctx.symlink(entry, "include/" + entry.basename)
        cuda = repository_ctx.path(found.root + "/lib/libtorch_cuda.so").exists
        folders = _library_folders(repository_ctx, found.root)
    repository_ctx.template("BUILD", repository_ctx.attr._build, {
        "%{cuda}": str(cuda),
        "%{present}": str(bool(found)),
        "%{rpaths}": repr(["-Wl,-rpath," + folder for folder in folders]),
        "%{root}": found.root if found else "",
    })
    python = repository_ctx.os.environ.get("LOCKSTEP_PYTHON", "") or (found.python if found else "")
    repository_ctx.template("defs.bzl", repository_ctx.attr._defs, {
        "%{lib_folders}": repr(folders),
        "%{python}": python,
        "%{version}": found.version if found else "",
    })

libtorch_repository = repository_rule(
    implementation = _libtorch_repository_impl,
    attrs = {
        "_build": attr.label(default = "//third_party/libtorch:libtorch.BUILD"),
        "_defs": attr.label(default = "//third_party/libtorch:defs.bzl.tpl"),
    },
    environ = LIBTORCH_ENVIRON,
    local = True,
    configure = True,
)
