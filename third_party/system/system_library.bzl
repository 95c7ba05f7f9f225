"""Repository rule for a C or C++ library that the distribution packages.

Search order, first hit wins; nothing is ever downloaded:
  1. the environment variable LOCKSTEP_<NAME>_ROOT, a prefix with include/ and lib/;
  2. /usr, where apt puts it;
  3. /usr/local.
With --config=arm64 headers and libraries come from the folder that third_party/arm64/fetch.sh makes, and programs,
which the build runs, from where they always come from.
Headers and libraries are looked for directly in include/, lib/ and lib64/ and in their
multiarch folders (include/x86_64-linux-gnu). They are symlinked into the external
repository, because Bazel refuses include paths that lie outside of its own tree.
If an optional library is in none of these places, the repository has no header and no library, and %{present} in its
BUILD file is False. An override that does not hold the library is an error.
"""

_DEFAULT_PREFIXES = ["/usr", "/usr/local"]

# All overrides, because a repository rule must name the variables that it reads.
_OVERRIDES = ["LOCKSTEP_%s_ROOT" % name for name in [
    "ABSEIL",
    "BENCHMARK",
    "BOOST_MATH",
    "EIGEN",
    "GLOO",
    "GOOGLETEST",
    "LIBARCHIVE",
    "LIBJPEG",
    "LIBPNG",
    "LIBWEBP",
    "OPENSSL",
    "PROTOBUF",
    "ZLIB",
]]

# Variables that select the target of the build.
ARM64_VARIABLES = ["LOCKSTEP_ARM64", "LOCKSTEP_TARGET"]

def _is_for_arm64(repository_ctx):
    """Returns true if --config=arm64 was given, which sets LOCKSTEP_TARGET."""
    return repository_ctx.os.environ.get("LOCKSTEP_TARGET", "") == "aarch64"

def arm64_folder(repository_ctx):
    """Returns the folder that third_party/arm64/fetch.sh made, as a path; fails if it does not exist."""
    variable = repository_ctx.os.environ.get("LOCKSTEP_ARM64", "")
    folder = repository_ctx.path(variable or str(repository_ctx.path(Label("//:WORKSPACE")).dirname) + "/.arm64")
    if not folder.get_child("ready").exists:
        fail("--config=arm64: expected a cross compiler and arm64 libraries in %s. Run third_party/arm64/fetch.sh." % folder)
    return folder

def multiarch(repository_ctx):
    """Returns Debian's folder name for this machine, for example x86_64-linux-gnu."""
    return repository_ctx.execute(["uname", "-m"]).stdout.strip() + "-linux-gnu"

def target_multiarch(repository_ctx):
    """Returns the same for the target machine; the rule's `environ` must hold ARM64_VARIABLES."""
    return "aarch64-linux-gnu" if _is_for_arm64(repository_ctx) else multiarch(repository_ctx)

def default_prefixes(repository_ctx):
    """Returns the prefixes in which the target's headers and libraries are searched without an override; `environ` as
    above."""
    if _is_for_arm64(repository_ctx):
        return [str(arm64_folder(repository_ctx)) + "/sysroot/usr"]
    return _DEFAULT_PREFIXES

def is_searched_anyway(repository_ctx, prefix):
    """Returns true if compiler and dynamic linker search `prefix` by default; `environ` as above."""
    return prefix == "/usr" or _is_for_arm64(repository_ctx)

def find_in_folders(repository_ctx, folders, name):
    """Returns the first existing folder/name as a path, or None."""
    for folder in folders:
        path = repository_ctx.path(folder + "/" + name)
        if path.exists:
            return path
    return None

def apparent_name(repository_ctx):
    """Returns the repository's name in BUILD files: "nccl", also if Bazel calls it _main~installed~nccl or, since 8,
    with +."""
    return repository_ctx.name.replace("+", "~").split("~")[-1]

def _folders(prefix, kinds, arch):
    return [prefix + "/" + kind + sub for kind in kinds for sub in ["", "/" + arch]]

def _find_all(repository_ctx, prefix, arch):
    """Returns a map of the wanted link names to paths under prefix, and a list of the missing ones."""
    found, missing = {}, []
    program_folders = [p + "/bin" for p in (_DEFAULT_PREFIXES if _is_for_arm64(repository_ctx) else [prefix])]
    wanted = [
        ("include", repository_ctx.attr.headers, _folders(prefix, ["include"], arch)),
        ("lib", repository_ctx.attr.libraries, _folders(prefix, ["lib", "lib64"], arch)),
        ("bin", repository_ctx.attr.programs, program_folders),
    ]
    for kind, names, folders in wanted:
        for name in names:
            path = find_in_folders(repository_ctx, folders, name)
            if path:
                found[kind + "/" + name] = path
            else:
                missing.append("%s (in %s)" % (name, ", ".join(folders)))

    # Debian splits some folders: the machine-dependent half is linked next to the other half.
    for name in repository_ctx.attr.headers:
        split = repository_ctx.path("%s/include/%s/%s" % (prefix, arch, name))
        if split.exists and found.get("include/" + name) != split:
            found["include_arch/" + name] = split
    return found, missing

def _library_folder(repository_ctx, prefix, arch):
    """Returns the folder that holds archives matching archive_prefix, and their paths; or None."""
    for folder in _folders(prefix, ["lib", "lib64"], arch):
        path = repository_ctx.path(folder)
        if path.exists:
            found = [
                str(entry)
                for entry in path.readdir()
                if entry.basename.startswith(repository_ctx.attr.archive_prefix) and
                   entry.basename.endswith(".a")
            ]
            if found:
                return sorted(found)
    return None

def _write_archive_group(repository_ctx, archives):
    """Writes a linker script that stands for all archives at once, so that their order does not matter."""
    repository_ctx.file("lib/" + repository_ctx.attr.archive_prefix + "all.a", "GROUP (\n%s\n)\n" % "\n".join(archives))

def _system_library_impl(repository_ctx):
    variable = repository_ctx.attr.override
    root = repository_ctx.os.environ.get(variable, "")
    arch = target_multiarch(repository_ctx)
    tried = []
    for prefix in [root] if root else default_prefixes(repository_ctx):
        found, missing = _find_all(repository_ctx, prefix, arch)
        archives = []
        if repository_ctx.attr.archive_prefix:
            archives = _library_folder(repository_ctx, prefix, arch)
            if not archives:
                missing.append(repository_ctx.attr.archive_prefix + "*.a")
        if not missing:
            for link, target in found.items():
                repository_ctx.symlink(target, link)
            for name in repository_ctx.attr.optional_libraries:
                path = find_in_folders(repository_ctx, _folders(prefix, ["lib", "lib64"], arch), name)
                if path:
                    repository_ctx.symlink(path, "lib/" + name)
            if archives:
                _write_archive_group(repository_ctx, archives)
            # /usr needs no search options, and an rpath to it could hide newer copies elsewhere.
            search = "" if is_searched_anyway(repository_ctx, prefix) else '"-L%s/lib", "-Wl,-rpath,%s/lib", ' % (prefix, prefix)
            substitutions = {"%{present}": "True", "%{search}": search}
            repository_ctx.template("BUILD", repository_ctx.attr.build_file, substitutions)
            return
        tried.append("  %s lacks %s" % (prefix, "; ".join(missing)))
    if repository_ctx.attr.optional and not root:
        repository_ctx.template("BUILD", repository_ctx.attr.build_file, {"%{present}": "False", "%{search}": ""})
        return
    fail("\n".join([
        "@%s was not found." % apparent_name(repository_ctx),
    ] + tried + [
        "Expected the Debian package(s) %s: run third_party/install.sh," % " ".join(repository_ctx.attr.apt),
        "or set %s to a prefix with include/ and lib/ (now %s)." % (variable, repr(root) if root else "unset"),
    ]))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "apt": attr.string_list(doc = "Debian packages that hold it, for the error message."),
        "archive_prefix": attr.string(doc = "Offer all static archives of this prefix as one lib/<prefix>all.a."),
        "build_file": attr.label(allow_single_file = True, mandatory = True),
        "headers": attr.string_list(doc = "Files or folders below include/."),
        "libraries": attr.string_list(doc = "Files below lib/."),
        "optional": attr.bool(doc = "Declares the repository also if the library is not installed."),
        "optional_libraries": attr.string_list(doc = "Files below lib/ that not every release has or needs; left out if absent."),
        "override": attr.string(mandatory = True, values = _OVERRIDES, doc = "Environment variable that replaces the search."),
        "programs": attr.string_list(doc = "Files below bin/."),
    },
    environ = _OVERRIDES + ARM64_VARIABLES,
    local = True,
    configure = True,
)
