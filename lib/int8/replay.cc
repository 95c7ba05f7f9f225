#include "lib/int8/replay.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/int8/quantized_record.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

constexpr size_t kDigestedBatch = 100;  // images

// Outputs of a record's network for its samples.
struct Found {
  size_t classes = 0;
  std::vector<int32_t> logits;  // (samples, classes)
  LayerDigests digests;
};

// A network that runs on batches of images and computes a digest of each layer's output.
class DigestedRun {
 public:
  static absl::StatusOr<DigestedRun> Make(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make);

  size_t Classes() const { return network_.layers.back().shape.Pooled().Size(); }

  // images: int8 (count, height, width, channels). Returns the logits, (count, classes).
  absl::StatusOr<std::vector<int32_t>> Run(const std::vector<int8_t>& images);

  LayerDigests Finish();

 private:
  DigestedRun(IntegerNetwork network, IntegerRunner run)
      : network_(std::move(network)), run_(std::move(run)), layers_(network_.layers.size()) {}

  IntegerNetwork network_;
  IntegerRunner run_;
  std::vector<Sha256> layers_;
  Sha256 logits_;
};

absl::Status Broken(const proto::QuantizedNetwork& record, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("network record: ", record.name(), ": ", what, "; make it again with quantize"));
}

// Returns the quantized images of the samples: int8 (samples, height, width, channels).
absl::StatusOr<std::vector<int8_t>> Images(const proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  std::vector<int8_t> images(static_cast<size_t>(record.replay_size()) * kImageBytes);
  for (int i = 0; i < record.replay_size(); ++i) {
    const proto::ReplaySample& sample = record.replay(i);
    if (sample.pixels().size() != kImageBytes) {
      return Broken(record, absl::StrCat("replay sample of test image ", sample.test_index(), ": ",
                                         sample.pixels().size(), " bytes of pixels, expected ", kImageBytes));
    }
    QuantizeImage(reinterpret_cast<const uint8_t*>(sample.pixels().data()), table, &images[size_t(i) * kImageBytes]);
  }
  return images;
}

absl::StatusOr<DigestedRun> DigestedRun::Make(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make) {
  ASSIGN_OR_RETURN(IntegerNetwork network, ToIntegerNetwork(record));
  if (network.layers.front().shape.In() != Extent{kImageHeight, kImageWidth, kImageChannels}) {
    return Broken(record, "its first layer does not read images of 3 x 32 x 32");
  }
  ASSIGN_OR_RETURN(IntegerRunner run, make(network));
  return DigestedRun(std::move(network), std::move(run));
}

absl::StatusOr<std::vector<int32_t>> DigestedRun::Run(const std::vector<int8_t>& images) {
  const size_t count = images.size() / kImageBytes;
  std::vector<int32_t> logits(count * Classes());
  RETURN_IF_ERROR(run_(images.data(), count, logits.data(), [this](size_t layer, const int8_t* values, size_t size) {
    layers_[layer].Update(values, size);
  }));
  const std::string bytes = LittleEndian(logits.data(), logits.size());
  logits_.Update(bytes);
  if (network_.HasSumLogits()) {
    layers_.back().Update(bytes);
  }
  return logits;
}

LayerDigests DigestedRun::Finish() {
  LayerDigests digests;
  for (Sha256& layer : layers_) {
    digests.layers.push_back(layer.HexDigest());
  }
  digests.logits = logits_.HexDigest();
  return digests;
}

absl::StatusOr<Found> RunSamples(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make) {
  ASSIGN_OR_RETURN(DigestedRun run, DigestedRun::Make(record, make));
  ASSIGN_OR_RETURN(const std::vector<int8_t> images, Images(record));
  Found found;
  found.classes = run.Classes();
  ASSIGN_OR_RETURN(found.logits, run.Run(images));
  found.digests = run.Finish();
  return found;
}

// Returns a description of the first logit of a sample that differs; empty if all logits are as expected.
absl::StatusOr<std::string> Difference(const proto::QuantizedNetwork& record, const proto::ReplaySample& sample,
                                       const int32_t* logits, size_t classes) {
  if (classes != static_cast<size_t>(sample.expected_logit_size())) {
    return Broken(record, absl::StrCat("replay sample of test image ", sample.test_index(), ": ",
                                       sample.expected_logit_size(), " expected logits for ", classes, " outputs"));
  }
  for (int i = 0; i < sample.expected_logit_size(); ++i) {
    if (logits[i] != sample.expected_logit(i)) {
      return absl::StrCat("test image ", sample.test_index(), ", logit ", i, ": expected ", sample.expected_logit(i),
                          ", found ", logits[i]);
    }
  }
  return std::string();
}

}  // namespace

std::string LittleEndian(const int32_t* values, size_t size) {
  std::string bytes;
  bytes.reserve(size * sizeof(int32_t));
  for (size_t i = 0; i < size; ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<char>(static_cast<uint32_t>(values[i]) >> shift & 0xFF));
    }
  }
  return bytes;
}

absl::StatusOr<IntegerRunner> MakePlainRunner(const IntegerNetwork& network) {
  return IntegerRunner([network](const int8_t* images, size_t count, int32_t* logits,
                                 const IntegerBatchObserver& observe) -> absl::Status {
    const size_t image_size = network.layers.front().shape.In().Size();
    for (size_t i = 0; i < count; ++i) {
      const std::vector<int32_t> found =
          RunInteger(network, images + i * image_size, nullptr, [&](size_t layer, const std::vector<int8_t>& values) {
            if (observe) {
              observe(layer, values.data(), values.size());
            }
          });
      logits = std::copy(found.begin(), found.end(), logits);
    }
    return absl::OkStatus();
  });
}

absl::Status AddReplaySamples(const ImageSet& test, const std::vector<uint32_t>& indices, const MakeIntegerRunner& make,
                              proto::QuantizedNetwork& record) {
  for (const uint32_t index : indices) {
    proto::ReplaySample& sample = *record.add_replay();
    sample.set_test_index(index);
    sample.set_pixels(test.pixels.data() + size_t{index} * kImageBytes, kImageBytes);
  }
  ASSIGN_OR_RETURN(const Found found, RunSamples(record, make));
  for (int i = 0; i < record.replay_size(); ++i) {
    const int32_t* const logits = &found.logits[static_cast<size_t>(i) * found.classes];
    record.mutable_replay(i)->mutable_expected_logit()->Add(logits, logits + found.classes);
  }
  for (int i = 0; i < record.layer_size(); ++i) {
    record.mutable_layer(i)->set_replay_sha256(found.digests.layers[static_cast<size_t>(i)]);
  }
  return absl::OkStatus();
}

absl::Status Replay(const proto::QuantizedNetwork& record, const MakeIntegerRunner& make) {
  if (record.replay().empty()) {
    return absl::FailedPreconditionError(absl::StrCat("network ", record.name(), ": its record has no replay samples"));
  }
  ASSIGN_OR_RETURN(const Found found, RunSamples(record, make));
  std::string first;
  int different = 0;
  for (int i = 0; i < record.replay_size(); ++i) {
    ASSIGN_OR_RETURN(
        const std::string difference,
        Difference(record, record.replay(i), &found.logits[static_cast<size_t>(i) * found.classes], found.classes));
    different += difference.empty() ? 0 : 1;
    first = first.empty() ? difference : first;
  }
  if (different > 0) {
    return absl::AbortedError(absl::StrCat("network ", record.name(), ": ", different, " of ", record.replay_size(),
                                           " replayed images give other logits than recorded; first: ", first));
  }
  for (int i = 0; i < record.layer_size(); ++i) {
    const proto::QuantizedLayer& layer = record.layer(i);
    if (!layer.replay_sha256().empty() && layer.replay_sha256() != found.digests.layers[static_cast<size_t>(i)]) {
      return absl::AbortedError(absl::StrCat("network ", record.name(), ": ", layer.name(),
                                             " writes other values for the replayed images than recorded, though the "
                                             "logits are the same"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LayerDigests> DigestLayers(const proto::QuantizedNetwork& record, const ImageSet& test,
                                          const MakeIntegerRunner& make) {
  ASSIGN_OR_RETURN(DigestedRun run, DigestedRun::Make(record, make));
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  for (size_t first = 0; first < test.size(); first += kDigestedBatch) {
    RETURN_IF_ERROR(CheckNotStopped());
    std::vector<int8_t> images(std::min(kDigestedBatch, test.size() - first) * kImageBytes);
    for (size_t at = 0; at < images.size(); at += kImageBytes) {
      QuantizeImage(test.pixels.data() + first * kImageBytes + at, table, &images[at]);
    }
    RETURN_IF_ERROR(run.Run(images).status());
  }
  return run.Finish();
}

}  // namespace lockstep
