// Adds a line about this program's own build to the context that Google Benchmark prints and writes.
//
// Debian and Ubuntu build the library without NDEBUG. It therefore warns in every program: "***WARNING*** Library was
// built as DEBUG. Timings may be affected." The warning is about the library's code, which prepares runs and reports
// them. The loop around the measured code is inline in the library's header, and is compiled with the program.
#include <benchmark/benchmark.h>

namespace {

#if defined(NDEBUG) && defined(__OPTIMIZE__)
constexpr char kBuildType[] =
    "optimised; a warning about a library built as DEBUG is about Google Benchmark's own code";
#else
constexpr char kBuildType[] = "not optimised; expected --compilation_mode=opt";
#endif

// Initialized before main(), and therefore before the library prints its context.
[[maybe_unused]] const bool context_added = [] {
  benchmark::AddCustomContext("measured_code", kBuildType);
  return true;
}();

}  // namespace
