// Self-check of a record: images with their expected logits, and a digest of each layer's output.
#ifndef LOCKSTEP_LIB_INT8_REPLAY_H_
#define LOCKSTEP_LIB_INT8_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/integer_reference.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Runs one network. images: int8 (count, height, width, channels). logits: output, int32 (count, classes), int8 values
// or sums. `observe` may be null.
using IntegerRunner = std::function<absl::Status(const int8_t* images, size_t count, int32_t* logits,
                                                 const IntegerBatchObserver& observe)>;
using MakeIntegerRunner = std::function<absl::StatusOr<IntegerRunner>(const IntegerNetwork& network)>;

// Returns int32 values as bytes, lowest byte first on any machine. Digests of sums are computed over these bytes.
std::string LittleEndian(const int32_t* values, size_t size);

// Digests of a network's outputs for a sequence of images.
struct LayerDigests {
  std::vector<std::string>
      layers;          // SHA-256 of each layer's int8 (height, width, channels), or of its int32 sums, LittleEndian
  std::string logits;  // SHA-256 of the logits as int32, LittleEndian
};

// Returns a runner that uses plain loops. The runner keeps a copy of the network.
absl::StatusOr<IntegerRunner> MakePlainRunner(const IntegerNetwork& network);

// Adds these images of `test` with the logits that the record's network gives for them, and the digests. The record
// must not have samples yet. Errors as ToIntegerNetwork, ImageTableOf and the runner.
absl::Status AddReplaySamples(const ImageSet& test, const std::vector<uint32_t>& indices, const MakeIntegerRunner& make,
                              proto::QuantizedNetwork& record);

// Runs every replay sample, using the record alone. Errors:
// - Aborted: names the first image and logit that differ and the number of such images, or the first layer whose digest
//   differs.
// - FailedPrecondition: the record has no samples.
// - DataLoss: as ToIntegerNetwork, or a sample has a wrong size.
absl::Status Replay(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make = MakePlainRunner);

// Returns the digests of the record's network over all images of `test`, in the split's order. Errors as
// ToIntegerNetwork, ImageTableOf and the runner; CancelledError if a stop was requested.
absl::StatusOr<LayerDigests> DigestLayers(const proto::QuantizedNetwork& record, const ImageSet& test,
                                          const MakeIntegerRunner& make);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_REPLAY_H_
