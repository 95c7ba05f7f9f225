"""Compiler options of tests, and of the headers that are parsed once for them."""

# Compiling a test's own code takes longer than running it. The tested code is optimised nevertheless.
TEST_COPTS = ["-O0"]
