"""Clang as a second C++ toolchain, for `--config=fuzz` only: libFuzzer comes with it.

Search order, first hit wins:
  1. the environment variable LOCKSTEP_CLANG, a path or a name;
  2. clang-14, the version of Debian 12 that was tried;
  3. clang.
Bazel's own detection then asks that compiler for its folders, as it does for gcc. The repository is looked at only when
a build names it, so a machine without clang builds all the rest.
"""

load("@bazel_tools//tools/cpp:lib_cc_configure.bzl", "get_cpu_value")
load("@bazel_tools//tools/cpp:unix_cc_configure.bzl", "configure_unix_toolchain")

# A name for the compiler that is the same on every machine.
_COMPILER = """alias(
    name = "compiler",
    actual = "//:cc-compiler-%s",
    visibility = ["//visibility:public"],
)
"""

def _find_clang(repository_ctx):
    override = repository_ctx.os.environ.get("LOCKSTEP_CLANG", "")
    names = [override] if override else ["clang-14", "clang"]
    for name in names:
        path = repository_ctx.which(name)
        if path:
            return path
    fail("expected clang for --config=fuzz; tried %s on PATH. Install clang-14 and libclang-rt-14-dev, or set " %
         ", ".join(names) + "LOCKSTEP_CLANG to another clang.")

def _check_fuzzer(repository_ctx, clang):
    """Fails if clang cannot link libFuzzer: Clang's packages leave the runtime libraries to another package."""
    repository_ctx.file("probe/probe.cc", "extern \"C\" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n")
    result = repository_ctx.execute([clang, "-fsanitize=fuzzer,address,undefined", "-xc++", "probe/probe.cc", "-lstdc++", "-lm", "-o", "probe/probe"])
    if result.return_code != 0:
        fail("%s cannot link libFuzzer; install libclang-rt-14-dev (or that of its version):\n%s" % (clang, result.stderr))

def _clang_repository_impl(repository_ctx):
    clang = _find_clang(repository_ctx)
    _check_fuzzer(repository_ctx, clang)
    cpu = get_cpu_value(repository_ctx)
    configure_unix_toolchain(repository_ctx, cpu, {"gcc": str(clang)})
    repository_ctx.file("here/BUILD", _COMPILER % cpu)

clang_repository = repository_rule(
    implementation = _clang_repository_impl,
    configure = True,
    doc = "Makes @clang//here:compiler, a cc_toolchain.",
    environ = ["LOCKSTEP_CLANG"],
    local = True,
)
