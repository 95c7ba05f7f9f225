// Fuzz target for fuzz_replay_test. It aborts on an input that begins with "BAD".
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (std::string(reinterpret_cast<const char*>(data), size).rfind("BAD", 0) == 0) {
    std::abort();
  }
  return 0;
}
