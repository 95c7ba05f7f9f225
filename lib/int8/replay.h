// A record that proves itself: images with the logits expected of them, and a digest of what each layer wrote.
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

// Runs one network. images: int8 (count, height, width, channels). logits: int32 (count, classes), written: int8 values
// or sums. `observe` may be null.
using IntegerRunner = std::function<absl::Status(const int8_t* images, size_t count, int32_t* logits,
                                                 const IntegerBatchObserver& observe)>;
using MakeIntegerRunner = std::function<absl::StatusOr<IntegerRunner>(const IntegerNetwork& network)>;

// int32 values as bytes, the lowest first, whatever the machine: what digests of sums are of.
std::string LittleEndian(const int32_t* values, size_t size);

// What a network writes for some images, one after another.
struct LayerDigests {
  std::vector<std::string>
      layers;          // SHA-256 of each layer's int8 (height, width, channels); of sums as int32, LittleEndian
  std::string logits;  // SHA-256 of the logits as int32, LittleEndian
};

// By the plain loops. The runner keeps a copy of the network.
absl::StatusOr<IntegerRunner> MakePlainRunner(const IntegerNetwork& network);

// Adds these images of `test` with the logits that the record's network gives for them, and the digests. The record has
// no samples yet. Errors: as ToIntegerNetwork, ImageTableOf and the runner.
absl::Status AddReplaySamples(const ImageSet& test, const std::vector<uint32_t>& indices, const MakeIntegerRunner& make,
                              proto::QuantizedNetwork& record);

// Runs every replay sample from the record alone. Aborted names the first image and logit that differ and how many
// images do, or the first layer whose digest does. FailedPrecondition: the record has no samples. DataLoss: as
// ToIntegerNetwork, or a sample of a wrong size.
absl::Status Replay(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make = MakePlainRunner);

// What the record's network writes for all images of `test`, in the split's order. Errors: as ToIntegerNetwork,
// ImageTableOf and the runner; Cancelled: a stop was asked for.
absl::StatusOr<LayerDigests> DigestLayers(const proto::QuantizedNetwork& record, const ImageSet& test,
                                          const MakeIntegerRunner& make);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_REPLAY_H_
