// Reads any text as nccl-tests' JSON or as our own benchmarks' JSON. Accepted points must have sizes, ranks and times
// that can be fitted.
#include <cmath>

#include "absl/status/statusor.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/collectives/benchmark_points.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const bool ours = IsGoogleBenchmark(Bytes(data, size));
  const absl::StatusOr<std::vector<AllReducePoint>> points =
      ours ? ParseAllReduceBenchmark(Bytes(data, size), "benchmark.json")
           : ParseNcclTests(Bytes(data, size), "all_reduce.json");
  if (!points.ok()) {
    CheckUserError(points.status());
    return 0;
  }
  FUZZ_CHECK(!points->empty());
  for (const AllReducePoint& point : *points) {
    FUZZ_CHECK(point.ranks >= 2 && (ours || point.ranks == points->front().ranks));
    FUZZ_CHECK(point.size_bytes > 0 && !point.seconds.empty() && !point.origin.empty());
    for (const double seconds : point.seconds) {
      FUZZ_CHECK(std::isfinite(seconds) && seconds > 0);
    }
  }
  return 0;
}
