"""The rule sets that Bazel 4.2.3 expects as external repositories, as local stand-ins.

Bazel would otherwise fetch them. The stand-ins re-export the rules that are built into
Bazel 4.2.3, so BUILD files can load() them as newer versions of Bazel require.
"""

def _stub_repository_impl(repository_ctx):
    for path, template in zip(repository_ctx.attr.paths, repository_ctx.attr.files):
        folder = path.rpartition("/")[0]
        repository_ctx.symlink(template, path)
        if folder:
            repository_ctx.file(folder + "/BUILD", "")
    if "BUILD" not in repository_ctx.attr.paths:
        repository_ctx.file("BUILD", "")

_stub_repository = repository_rule(
    implementation = _stub_repository_impl,
    attrs = {
        "files": attr.label_list(allow_files = True, doc = "Contents, one per path."),
        "paths": attr.string_list(doc = "Where each file goes in the repository."),
    },
    local = True,
)

def bazel_rules():
    """Declares @rules_cc, @rules_java, @rules_proto and @remote_coverage_tools."""
    here = "//third_party/bazel_rules:"
    _stub_repository(name = "rules_cc", paths = ["cc/defs.bzl"], files = [here + "cc_defs.bzl"])
    _stub_repository(name = "rules_java", paths = ["java/defs.bzl"], files = [here + "java_defs.bzl"])
    _stub_repository(name = "rules_proto", paths = ["proto/defs.bzl"], files = [here + "proto_defs.bzl"])
    _stub_repository(name = "remote_coverage_tools", paths = ["BUILD"], files = [here + "coverage.BUILD"])
