// Batches of a data set that is in GPU memory: one kernel gathers, augments and normalises the images
// (lib/kernels/augment_batch.h). The batches have the same bits as those of BatchLoader, but no thread of the host
// prepares them, and nothing is copied in a step.
#ifndef LOCKSTEP_LIB_TRAIN_RESIDENT_BATCHES_H_
#define LOCKSTEP_LIB_TRAIN_RESIDENT_BATCHES_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Returns the bytes of device memory that images, labels and order take.
inline uint64_t ResidentBytes(const ImageSet& images) {
  return images.pixels.size() + images.size() * (sizeof(uint16_t) + sizeof(uint32_t));
}

// Not thread-safe.
class ResidentBatches {
 public:
  // Copies the data set to `device`. Uses augment, rule, seed, mean and std of `options`. Returns
  // UnimplementedError if built without CUDA. Throws c10::Error, like LibTorch, if the device is out of memory.
  static absl::StatusOr<std::unique_ptr<ResidentBatches>> Make(const ImageSet& images, const LoaderOptions& options,
                                                               c10::Device device);
  virtual ~ResidentBatches() = default;

  // Begins an epoch over the images whose indices are in `order`, and waits until the order is on the device. Returns
  // InvalidArgumentError for an index beyond the images.
  virtual absl::Status StartEpoch(uint32_t epoch, const std::vector<uint32_t>& order) = 0;

  // Queues the batch of images order[first] ... order[first + n - 1] on the current stream. `images`: float (n, 3,
  // height, width) on the device, contiguous or channels-last. `labels`: int64 (n) on the device.
  virtual absl::Status Fill(uint32_t first, const at::Tensor& images, const at::Tensor& labels) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RESIDENT_BATCHES_H_
