"""merged_archive: one static archive of a library and of all static libraries that it needs, with few public symbols.

All objects are linked to one relocatable object (ld -r). Its symbols are local, except those of `exported`. A program
that links the archive can therefore also link another version of Abseil, OpenSSL or Protocol Buffers.

Why not a shared library: Debian's static Abseil is compiled for executables (-fPIE). Its thread-local variables have
relocations that the linker refuses in a shared library.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

# --force-group-allocation dissolves COMDAT groups. The linker would otherwise discard a group whose name it has already
# seen in the program, and with it local symbols that other sections of this object use. -d gives common symbols a
# place. objcopy leaves unique symbols (STB_GNU_UNIQUE) global unless an earlier run has made them weak.
_COMMAND = """
set -eu
merged="$1.o"
"{ld}" -r -d --force-group-allocation -o "$merged" --whole-archive {whole} --no-whole-archive \\
  --start-group {archives} --end-group
"{nm}" --defined-only "$merged" | sed -n 's/^[0-9a-f]* u //p' >"$merged.unique"
"{objcopy}" --weaken-symbols="$merged.unique" "$merged"
"{objcopy}" --wildcard {exported} "$merged"
"{strip}" --strip-unneeded "$merged"
"{ar}" rcsD "$1" "$merged"
rm "$merged" "$merged.unique"
"""

# Names of libraries in linker flags that come from LibTorch, which LockstepConfig.cmake finds.
_OF_TORCH = ["-ltorch", "-ltorch_cpu", "-ltorch_cuda", "-lc10", "-lc10_cuda"]

def _quoted(words):
    return " ".join(["'%s'" % word for word in words])

def _merged_archive_impl(ctx):
    toolchain = find_cc_toolchain(ctx)
    whole, archives, flags = [], [], []
    for linked in ctx.attr.dep[CcInfo].linking_context.linker_inputs.to_list():
        flags += linked.user_link_flags
        for library in linked.libraries:
            archive = library.pic_static_library or library.static_library
            if archive:
                is_whole = library.alwayslink or linked.owner == ctx.attr.dep.label
                (whole if is_whole else archives).append(archive)
    ctx.actions.run_shell(
        command = _COMMAND.format(
            ar = toolchain.ar_executable,
            archives = _quoted([file.path for file in archives]),
            exported = _quoted(["--keep-global-symbol=" + pattern for pattern in ctx.attr.exported]),
            ld = toolchain.ld_executable,
            nm = toolchain.nm_executable,
            objcopy = toolchain.objcopy_executable,
            strip = toolchain.strip_executable,
            whole = _quoted([file.path for file in whole]),
        ),
        arguments = [ctx.outputs.archive.path],
        inputs = depset(whole + archives, transitive = [toolchain.all_files]),
        outputs = [ctx.outputs.archive],
        mnemonic = "MergeArchives",
        progress_message = "Merging %d archives into %s" % (len(whole) + len(archives), ctx.outputs.archive.short_path),
    )
    libraries = {}
    for flag in flags:
        if flag.startswith("-l") and flag not in _OF_TORCH:
            libraries[flag[2:].lstrip(":")] = True
    ctx.actions.write(ctx.outputs.libraries, "".join([name + "\n" for name in libraries]))
    return [DefaultInfo(files = depset([ctx.outputs.archive, ctx.outputs.libraries]))]

merged_archive = rule(
    implementation = _merged_archive_impl,
    attrs = {
        "archive": attr.output(mandatory = True, doc = "The archive to write."),
        "dep": attr.label(mandatory = True, providers = [CcInfo], doc = "The library to merge."),
        "exported": attr.string_list(doc = "Patterns of mangled names of the symbols that stay global."),
        "libraries": attr.output(mandatory = True, doc = "The list of other shared libraries to write."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = use_cc_toolchain(),
)
