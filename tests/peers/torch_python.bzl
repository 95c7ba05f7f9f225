"""Macros for Python scripts that need PyTorch: they are run by the interpreter that can import torch.

    torch_python_test(
        name = "oracle_test",                 # oracle_test.py
        size = "large",
        args = ["--oracle_dump=$(location :oracle_dump)"],
        data = [":oracle_dump"],
    )
"""

load("@libtorch//:defs.bzl", "TORCH_PYTHON", "requires_torch")
load("@rules_shell//shell:sh_binary.bzl", "sh_binary")
load("@rules_shell//shell:sh_test.bzl", "sh_test")

_RUN = "//tests/peers:run_torch_python.sh"

def _args(script):
    return ["'%s'" % TORCH_PYTHON, "$(location %s)" % script]

def torch_python_test(name, args, data, needs_torch = True, **kwargs):
    """Defines an sh_test of NAME.py.

    Args:
      name: name of the test
      args: arguments of the script
      data: files that the script reads, in addition to itself and the modules that tests import
      needs_torch: False: the test is not skipped without LibTorch
      **kwargs: further attributes of the sh_test
    """
    script = name + ".py"
    sh_test(
        name = name,
        srcs = [_RUN],
        args = _args(script) + args,
        data = [script, "//tests:python"] + data,
        target_compatible_with = requires_torch() if needs_torch else [],
        **kwargs
    )

def torch_python_binary(name, args, data):
    """Defines an sh_binary of NAME.py. It is skipped without LibTorch.

    Args:
      name: name of the program
      args: arguments of the script
      data: files that the script reads, in addition to itself
    """
    script = name + ".py"
    sh_binary(
        name = name,
        srcs = [_RUN],
        args = _args(script) + args,
        data = [script] + data,
        target_compatible_with = requires_torch(),
    )
