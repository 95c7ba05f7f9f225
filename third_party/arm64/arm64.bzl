"""GCC for 64-bit Arm as a second C++ toolchain, and QEMU for the tests, for `--config=arm64` only.

Both are in the folder that third_party/arm64/fetch.sh makes: LOCKSTEP_ARM64, or .arm64 of the workspace. Bazel's own
detection asks that compiler for its folders, as it does for the machine's. The repository is looked at only when a
build names it, so a machine without that folder builds all the rest.
"""

load("@bazel_tools//tools/cpp:unix_cc_configure.bzl", "configure_unix_toolchain")
load("//third_party/system:system_library.bzl", "ARM64_VARIABLES", "arm64_folder")

# Programs that Bazel's detection asks for; a build uses no others.
_TOOLS = ["ar", "cpp", "dwp", "gcov", "ld", "nm", "objcopy", "objdump", "strip"]

def _arm64_repository_impl(repository_ctx):
    folder = arm64_folder(repository_ctx)
    prefix = str(folder) + "/bin/aarch64-linux-gnu-"
    tools = {tool: prefix + tool for tool in _TOOLS}
    tools["gcc"] = prefix + "g++"
    configure_unix_toolchain(repository_ctx, "aarch64", tools)

    # Programs for this machine, such as Python, run without QEMU.
    repository_ctx.file("qemu/qemu.sh", "\n".join([
        "#!/bin/bash",
        'if [ "$(od -An -tx1 -j18 -N2 "$1" 2>/dev/null)" = " b7 00" ]; then',  # e_machine of ELF: EM_AARCH64
        "  export LOCKSTEP_EMULATED=1",  # lib/testing/emulation.h
        '  exec "%s/bin/qemu-aarch64" -cpu "${LOCKSTEP_QEMU_CPU:-max}" "$@"' % folder,
        "fi",
        'exec "$@"',
        "",
    ]))
    repository_ctx.file("qemu/BUILD", "\n".join([
        "sh_binary(",
        '    name = "qemu",',
        '    srcs = ["qemu.sh"],',
        '    visibility = ["//visibility:public"],',
        ")",
        "",
    ]))

arm64_repository = repository_rule(
    implementation = _arm64_repository_impl,
    configure = True,
    doc = "Makes @arm64//:cc-compiler-aarch64, a C++ toolchain, and @arm64//qemu, for --run_under.",
    environ = ARM64_VARIABLES,
    local = True,
)
