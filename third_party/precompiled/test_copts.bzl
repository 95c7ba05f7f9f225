"""How tests are compiled, and with them the headers that are parsed once for them."""

# A test's own code is read by the compiler longer than it runs: what it tests is optimised all the same.
TEST_COPTS = ["-O0"]
