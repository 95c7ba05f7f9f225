// Batches ready for the network, prepared ahead by worker threads.
//
// The order of the images is given, the augmentation of each is a function of (seed, epoch, image index), and batches
// are handed over in order. Hence the batches are the same, bit for bit, for any number of workers.
#ifndef LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_
#define LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

struct Batch {
  uint32_t size = 0;            // n
  std::vector<float> images;    // fp32 (n, 3, height, width), normalised
  std::vector<int64_t> labels;  // (n)
};

// Limit on workers, far above any useful number.
inline constexpr uint32_t kMaxLoaderWorkers = 256;

struct LoaderOptions {
  uint32_t batch_size = 0;  // at least 1
  uint32_t workers =
      2;  // threads, up to kMaxLoaderWorkers; 0: Next() prepares the batch itself. 2 as in the lab's DataLoader
  uint32_t prefetch = 2;   // batches per worker that may be ready or in preparation ahead of the caller; at least 1.
                           // 2 is the default of torch's DataLoader
  bool augment = true;     // random crop with padding 4 and flip; false: normalisation only
  AugmentationRule rule;   // kind of augmentation; must be FitsExtent for the images
  bool drop_last = false;  // leave out a last batch that is shorter than batch_size
  uint64_t seed = 0;       // seed of the augmentation
  // Per channel, in units of full scale (byte / 255); NormalizeAsTrained() fills them. A std of 0 is an error.
  std::array<float, 3> mean = {};
  std::array<float, 3> std = {};
};

// Sets mean and std to the lab's normalisation: mean and image_std of the training split. Returns InvalidArgumentError
// if `train` has no statistics.
absl::Status NormalizeAsTrained(const proto::DatasetInfo& train, LoaderOptions& options);

// Loader for any number of epochs. Not thread-safe; it synchronises with its own workers.
class BatchLoader {
 public:
  // `images` must outlive the loader and must not change meanwhile.
  BatchLoader(const ImageSet& images, LoaderOptions options);
  ~BatchLoader();  // stops the workers, also in the middle of an epoch
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // Begins an epoch over the images whose indices are in `order` (EpochOrder, or one rank's Shard); the workers start
  // to prepare it. Drops the rest of the previous epoch.
  void StartEpoch(uint32_t epoch, std::vector<uint32_t> order);

  // Gets the next batch of the epoch; returns false at its end (or if no epoch was started). Reuses the buffers of
  // `batch`. InvalidArgument: options that cannot work, or an index in `order` beyond the images. ResourceExhausted: no
  // memory for a batch. Unavailable: a worker could not be started (with fewer workers, measured times would change).
  // After an error the epoch is over: later calls return the same error until StartEpoch.
  absl::StatusOr<bool> Next(Batch* batch);

  // Number of batches of the current epoch; before the first StartEpoch, of an epoch over all images.
  uint32_t BatchCount() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_
