"""The module extension that MODULE.bazel uses. Bazel 4.2.3 has no module_extension, and does not read this file."""

load("//third_party:repositories.bzl", "installed_repositories")
load("//third_party/bazel_rules:bazel_rules.bzl", "shell_rules")

def _installed_impl(_module_ctx):
    shell_rules()
    installed_repositories()

installed = module_extension(implementation = _installed_impl)
