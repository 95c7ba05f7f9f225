"""Macro for a test whose program is also started as a rank.

    rank_test(
        name = "sum_check_test",              # sum_check_test.cc
        deps = [":sum_check", "//lib/launch"],
    )
"""

load("//lib:torch.bzl", "torch_test")

def rank_test(name, size = "medium", **kwargs):
    """Defines a torch_test whose ranks are processes that run the test's own program (rank_main_testing.h).

    Args:
      name: name of the test; the file is NAME.cc
      size: size of the test; starting processes takes seconds
      **kwargs: further arguments of torch_test
    """
    torch_test(name = name, size = size, main = "//lib/launch:rank_main_testing", module = True, **kwargs)
