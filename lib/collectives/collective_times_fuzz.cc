// Reads any CollectiveTimesFile as a record file. Accepted points must have sizes, ranks and times that can be fitted;
// accepted crossovers must be in order.
#include <cmath>

#include "lib/collectives/collective_times.h"
#include "lib/record/framed_records_testing.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::CollectiveTimesFile)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  proto::CollectiveTimesFile message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  const MemoryFile in_memory(FramedRecords(message));
  const auto file = ReadCollectiveTimes(in_memory.path());
  if (!file.ok()) {
    CheckUserError(file.status());
    return 0;
  }
  const auto points = AllReducePointsOf(*file);
  if (!points.ok()) {
    CheckUserError(points.status());
  }
  for (const AllReducePoint& point : points.value_or(std::vector<AllReducePoint>())) {
    FUZZ_CHECK(point.ranks >= 2 && point.size_bytes > 0 && !point.seconds.empty() && !point.origin.empty());
    for (const double seconds : point.seconds) {
      FUZZ_CHECK(std::isfinite(seconds) && seconds > 0);
    }
  }
  for (const proto::CollectiveTimesRecord& record : file->records) {
    const auto found = CrossoversOf(*file, record.crossovers().ranks(), record.crossovers().type());
    if (!found.ok()) {
      CheckUserError(found.status());
    }
    FUZZ_CHECK(!found.ok() || found->max_one_shot_bytes() <= found->max_two_shots_bytes());
  }
  return 0;
}
