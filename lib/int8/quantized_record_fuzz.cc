// Reads any int8 network from a record. The network must be either rejected or able to run its replay samples in
// integers. A sample that the network itself adds must replay without a difference.
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/replay.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::QuantizedNetwork)

namespace {

// Limit of multiply-accumulates per image: the portable loops need well under a second for it.
constexpr uint64_t kMaxMacs = 5'000'000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  proto::QuantizedNetwork record;
  if (!record.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  const absl::StatusOr<IntegerNetwork> network = ToIntegerNetwork(record);
  if (!network.ok()) {
    CheckUserError(network.status());
    return 0;
  }
  if (CountMacs(network->Shapes()) > kMaxMacs || record.replay_size() > 4) {
    return 0;
  }
  if (const absl::Status status = Replay(record); !status.ok()) {
    CheckUserError(status);
  }
  record.clear_replay();
  ImageSet grey;
  grey.pixels.assign(kImageBytes, 0x80);
  const absl::Status added = AddReplaySamples(grey, {0}, MakePlainRunner, record);
  if (!added.ok()) {
    CheckUserError(added);
    return 0;
  }
  FUZZ_CHECK(Replay(record).ok());
  return 0;
}
