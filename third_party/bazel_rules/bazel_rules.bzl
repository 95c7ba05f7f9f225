"""Bazel's rule sets, as local stand-ins; see README.md.

Bazel 4.2.3 would download them. The stand-ins re-export the rules that are built into
it, so BUILD files can load() them as newer versions of Bazel require.
"""

def _stub_repository_impl(repository_ctx):
    builds = {"BUILD": ""}
    for file, places in repository_ctx.attr.files.items():
        for path in places.split(" "):
            repository_ctx.symlink(file, path)
            builds[(path.rpartition("/")[0] + "/BUILD").lstrip("/")] = ""
    for path in builds:
        if not repository_ctx.path(path).exists:
            repository_ctx.file(path, "")

_stub_repository = repository_rule(
    implementation = _stub_repository_impl,
    attrs = {
        "files": attr.label_keyed_string_dict(allow_files = True, doc = "File: its paths in the repository."),
    },
    local = True,
)

def shell_rules():
    """Declares @rules_shell."""
    _stub_repository(name = "rules_shell", files = {
        "//third_party/bazel_rules:shell_defs.bzl": "shell/sh_binary.bzl shell/sh_test.bzl",
    })

def bazel_rules():
    """Declares @rules_cc, @rules_java, @rules_proto, @rules_shell and @remote_coverage_tools, for WORKSPACE."""
    _stub_repository(name = "rules_cc", files = {
        "//third_party/bazel_rules:cc_common.bzl": "cc/common/cc_common.bzl cc/common/cc_info.bzl",
        "//third_party/bazel_rules:cc_defs.bzl": "cc/defs.bzl",
        "//third_party/bazel_rules:cc_native.bzl": "cc/native.bzl",
        "//third_party/bazel_rules:find_cc_toolchain.bzl": "cc/find_cc_toolchain.bzl",
    })
    _stub_repository(name = "rules_java", files = {"//third_party/bazel_rules:java_defs.bzl": "java/defs.bzl"})
    _stub_repository(name = "rules_proto", files = {"//third_party/bazel_rules:proto_defs.bzl": "proto/defs.bzl"})
    shell_rules()
    _stub_repository(name = "remote_coverage_tools", files = {"//third_party/bazel_rules:coverage.BUILD": "BUILD"})
