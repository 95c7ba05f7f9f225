"""Repository rule that finds a CUDA toolkit (12.0 or newer).

Search order, first folder with a toolkit wins; nothing is ever downloaded:
  1. the environment variable CUDA_HOME;
  2. the folder above the `nvcc` on PATH;
  3. /usr/local/cuda.
Without a toolkit the repository is still valid: its targets are skipped, and if_cuda() takes its second branch.
Without --@cuda//:architectures the build compiles for the GPUs of this machine, and without one for 8.0 and 9.0.
"""

load("//third_party/cuda:architectures.bzl", "portable_code")

_EXPECTED = ["bin/nvcc", "include/cuda_runtime_api.h", "lib64/libcudart.so"]
_MINIMUM = 12000  # CUDA 12.0: the first that can compile every Hopper feature.
_OLDEST = 75  # Turing: the oldest that the newest toolkits support, and that the kernels are written for.
_DEFAULT_ARCHS = ["80", "90"]  # A100; H100, H200

def _version(repository_ctx, home):
    """Returns the toolkit's version in the format of CUDART_VERSION, for example 13000 for 13.0; 0 if the header lacks
    it."""
    for line in repository_ctx.read(home + "/include/cuda_runtime_api.h").splitlines():
        if line.startswith("#define CUDART_VERSION"):
            return int(line.split(" ")[-1])
    return 0

def _problem(repository_ctx, home):
    """Returns the reason why the folder `home` is not a usable toolkit; empty if it is."""
    missing = [name for name in _EXPECTED if not repository_ctx.path(home + "/" + name).exists]
    if missing:
        return "it lacks " + ", ".join(missing)
    version = _version(repository_ctx, home)
    return "" if version >= _MINIMUM else "its CUDART_VERSION is %d, below %d" % (version, _MINIMUM)

def find_cuda_home(repository_ctx):
    """Returns the toolkit's folder as a string, or None. Fails if CUDA_HOME is set but holds no usable toolkit."""
    home = repository_ctx.os.environ.get("CUDA_HOME", "")
    if home:
        problem = _problem(repository_ctx, home)
        if problem:
            fail("CUDA_HOME=%s: expected a CUDA toolkit, but %s. " % (home, problem) +
                 "Set CUDA_HOME to a toolkit's folder, or unset it to search PATH and /usr/local/cuda.")
        return home
    nvcc = repository_ctx.which("nvcc")
    candidates = [str(nvcc.realpath.dirname.dirname)] if nvcc else []
    for candidate in candidates + ["/usr/local/cuda"]:
        if not _problem(repository_ctx, candidate):
            return candidate
    return None

def _known_archs(repository_ctx, home):
    """Returns the architectures that nvcc supports, for example ["75", "80"]; "90" includes "90a"."""
    result = repository_ctx.execute([home + "/bin/nvcc", "--list-gpu-arch"])
    if result.return_code != 0:
        fail("%s/bin/nvcc --list-gpu-arch failed: %s" % (home, result.stderr))
    archs = [line[len("compute_"):] for line in result.stdout.split("\n") if line.startswith("compute_")]
    return [arch for arch in archs if arch.isdigit() and int(arch) >= _OLDEST]

def _archs_here(repository_ctx, known):
    """Returns the setting for the GPUs of this machine that nvcc supports, with PTX for later ones."""
    smi = repository_ctx.which("nvidia-smi")
    result = repository_ctx.execute([smi, "--query-gpu=compute_cap", "--format=csv,noheader"]) if smi else None
    lines = result.stdout.split("\n") if result and result.return_code == 0 else []
    here = [arch for arch in known if "%s.%s" % (arch[:-1], arch[-1]) in lines] or _DEFAULT_ARCHS
    return ",".join(here + (["90a"] if "90" in here else []) + ["ptx"])

def _cuda_repository_impl(repository_ctx):
    home = find_cuda_home(repository_ctx)
    if home:
        repository_ctx.symlink(home + "/include", "include")
    known = _known_archs(repository_ctx, home) if home else []
    repository_ctx.template("BUILD", repository_ctx.attr._build, {
        "%{archs}": _archs_here(repository_ctx, known),
        "%{home}": home or "",
        "%{present}": str(bool(home)),
    })
    repository_ctx.file("portable_code.txt", ",".join(portable_code(known)) + "\n")
    repository_ctx.template("defs.bzl", repository_ctx.attr._defs, {
        "%{home}": home or "",
        "%{known}": str(known),
        "%{version}": str(_version(repository_ctx, home) if home else 0),
    })

cuda_repository = repository_rule(
    implementation = _cuda_repository_impl,
    attrs = {
        "_build": attr.label(default = "//third_party/cuda:cuda.BUILD"),
        "_defs": attr.label(default = "//third_party/cuda:defs.bzl.tpl"),
    },
    environ = ["CUDA_HOME", "PATH"],
    local = True,
    configure = True,
)
