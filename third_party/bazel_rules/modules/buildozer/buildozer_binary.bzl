"""The extension that Bazel's own module asks for; `bazel mod tidy`, which needs the program, does not work with it."""

def _empty_repository_impl(repository_ctx):
    repository_ctx.file("BUILD", "")

_empty_repository = repository_rule(implementation = _empty_repository_impl)

def _buildozer_binary_impl(_module_ctx):
    _empty_repository(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _buildozer_binary_impl)
