"""Repository rule that finds LibTorch, with or without CUDA, in one of the tested versions.

Search order, first hit wins; nothing is ever downloaded:
  1. the environment variable LIBTORCH, a folder with include/ and lib/ (the unpacked LibTorch archive, or
     site-packages/torch);
  2. the workspace's own .venv, which third_party/install.sh makes;
  3. the torch that `python3` on PATH would import.
Without LibTorch the repository is still valid: its target is skipped, and requires_torch() marks targets that need it.
A LIBTORCH older than the oldest tested version stops the build. If 2. or 3. finds an older one, it is reported and not
used. A LibTorch newer than the newest tested version is reported and used.
LOCKSTEP_PYTHON names the interpreter for tests that compare with Python; default: the one that imports this torch.
"""

load("//third_party/libtorch:versions.bzl", "is_older", "pip_arguments", "tried_versions")

LIBTORCH_ENVIRON = ["LIBTORCH", "LOCKSTEP_PYTHON", "PATH"]

_EXPECTED = ["include/ATen/ATen.h", "include/torch/csrc/api/include/torch/torch.h", "lib/libtorch.so"]

# Prints the folder of the torch that would be imported, without importing it, which takes seconds. The working folder,
# an empty entry of sys.path, is removed before anything else is imported.
_LOCATE = "import sys; sys.path[:] = [p for p in sys.path if p]; import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"

def _imported(repository_ctx, python):
    """Returns the folder of the torch that the interpreter imports; empty if it has none."""
    return repository_ctx.execute([python, "-c", _LOCATE]).stdout.strip()

def _missing(repository_ctx, root):
    return [name for name in _EXPECTED if not repository_ctx.path(root + "/" + name).exists]

def _version(repository_ctx, root):
    """Returns a struct of version, for example 2.11.0+cu130, and cuda, for example 13.0; each may be empty.

    A wheel has both in version.py, the archive only the version in build-version.
    """
    version, cuda = "", ""
    if repository_ctx.path(root + "/version.py").exists:
        for line in repository_ctx.read(root + "/version.py").splitlines():
            if line.startswith("__version__ =") and "'" in line:
                version = line.split("'")[1]
            elif line.startswith("cuda") and "'" in line:
                cuda = line.split("'")[1]
    for archive in [root + "/../build-version", root + "/build-version"]:
        if not version and repository_ctx.path(archive).exists:
            version = repository_ctx.read(archive).strip()
    local = version.partition("+cu")[2]
    if not cuda and local.isdigit() and len(local) > 1:
        cuda = local[:-1] + "." + local[-1]  # 12.6 of 2.11.0+cu126
    return struct(version = version, cuda = cuda)

def _libtorch(repository_ctx, root, python):
    """Returns find_libtorch's result for the LibTorch in root."""
    found = _version(repository_ctx, root)
    has_cuda = repository_ctx.path(root + "/lib/libtorch_cuda.so").exists
    return struct(
        root = root,
        python = python,
        version = found.version,
        has_cuda = has_cuda,
        cuda = found.cuda if has_cuda else "",
    )

def _named(found):
    return "LibTorch %s in %s" % (found.version or "of an unknown version", found.root)

def _from_environment(repository_ctx, root):
    problem = _missing(repository_ctx, root)
    if problem:
        fail("LIBTORCH=%s: expected a LibTorch, but %s is not there. Set LIBTORCH to another folder, or unset it to search .venv and python3." %
             (root, ", ".join(problem)))
    python = _python_on_path(repository_ctx)
    imported = _imported(repository_ctx, python) if python else ""
    same = imported and repository_ctx.path(imported).realpath == repository_ctx.path(root).realpath
    found = _libtorch(repository_ctx, root, python if same else "")
    tried = tried_versions(repository_ctx)
    if is_older(found.version, tried.minimum):
        fail("LIBTORCH=%s: expected LibTorch %s to %s, found %s. Set LIBTORCH to another one, or unset it and run third_party/install.sh." %
             (root, tried.minimum, tried.maximum, found.version or "neither version.py nor build-version"))
    return found

def _python_on_path(repository_ctx):
    found = repository_ctx.which("python3")
    return str(found) if found else ""

def _candidates(repository_ctx):
    """Returns the interpreters to try, best first."""
    workspace = repository_ctx.path(Label("@lockstep//:WORKSPACE")).realpath.dirname
    venv = workspace.get_child(".venv").get_child("bin").get_child("python3")
    return ([str(venv)] if venv.exists else []) + [path for path in [_python_on_path(repository_ctx)] if path]

def _search(repository_ctx):
    """Returns the LibTorch to use, or None; and the first one that is too old, or None."""
    root = repository_ctx.os.environ.get("LIBTORCH", "")
    if root:
        return _from_environment(repository_ctx, root), None
    old = None
    for python in _candidates(repository_ctx):
        root = _imported(repository_ctx, python)
        if root and not _missing(repository_ctx, root):
            found = _libtorch(repository_ctx, root, python)
            if not is_older(found.version, tried_versions(repository_ctx).minimum):
                return found, None
            old = old or found
    return None, old

def find_libtorch(repository_ctx):
    """Returns a struct of root, python, version, has_cuda and cuda (its CUDA version); None if there is no LibTorch."""
    return _search(repository_ctx)[0]

def _warning(found, old, tried):
    """Returns a line about a version that was not tested; empty if there is none."""
    if old:
        return "%s is older than %s, the oldest that was tried: targets that need LibTorch are skipped. Run third_party/install.sh." % (_named(old), tried.minimum)
    if found and is_older(tried.maximum, found.version):
        return ("%s is newer than %s, the newest that was tried. If the build or a test fails: %s -m pip install %s, or set LIBTORCH to a LibTorch of %s to %s." %
                (_named(found), tried.maximum, found.python or "python3", pip_arguments(tried.pin, found.cuda), tried.minimum, tried.maximum))
    return ""

def _library_folders(repository_ctx, root):
    """Returns torch/lib and, for a wheel, the nvidia/*/lib folders next to it."""
    folders = [root + "/lib"]
    nvidia = repository_ctx.path(root + "/../nvidia")
    if nvidia.exists:
        folders += sorted([str(entry.get_child("lib")) for entry in nvidia.readdir() if entry.get_child("lib").exists])
    return folders

def _cudart_version(cuda):
    """Returns 13000 for 13.0, the format of CUDART_VERSION; 0 for an empty text."""
    parts = cuda.split(".")
    return int(parts[0]) * 1000 + int(parts[1]) * 10 if len(parts) == 2 else 0

def _libtorch_repository_impl(repository_ctx):
    found, old = _search(repository_ctx)
    tried = tried_versions(repository_ctx)
    warning = _warning(found, old, tried)
    if warning:
        print(warning)  # buildifier: disable=print
    folders = []
    if found:
        # Everything except `google`, which holds protobuf headers of another version than ours.
        for entry in repository_ctx.path(found.root + "/include").readdir():
            if entry.basename != "google":
                repository_ctx.symlink(entry, "include/" + entry.basename)
        folders = _library_folders(repository_ctx, found.root)
    repository_ctx.template("BUILD", repository_ctx.attr._build, {
        "%{cuda}": str(bool(found) and found.has_cuda),
        "%{cuda_version}": found.cuda if found else "",
        "%{pin}": tried.pin,
        "%{present}": str(bool(found)),
        "%{rpaths}": repr(["-Wl,-rpath," + folder for folder in folders]),
        "%{root}": found.root if found else "",
        "%{version}": found.version if found else "",
    })
    python = repository_ctx.os.environ.get("LOCKSTEP_PYTHON", "") or (found.python if found else "")
    repository_ctx.template("defs.bzl", repository_ctx.attr._defs, {
        "%{cuda_version}": found.cuda if found else "",
        "%{cudart_version}": str(_cudart_version(found.cuda if found else "")),
        "%{lib_folders}": repr(folders),
        "%{maximum}": tried.maximum,
        "%{minimum}": tried.minimum,
        "%{pip}": pip_arguments(found.version, found.cuda) if found else "torch==" + tried.pin,
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
