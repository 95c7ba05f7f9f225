// Batches ready for the network, prepared ahead by worker threads.
//
// The order of the images is given, the augmentation of each is a function of (seed, epoch, image index), and batches are
// handed over in order: so what comes out is the same, bit for bit, whatever the number of workers.
#ifndef LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_
#define LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

struct Batch {
  uint32_t size = 0;            // n
  std::vector<float> images;    // fp32 (n, 3, 32, 32), normalised
  std::vector<int64_t> labels;  // (n)
};

// Far beyond use.
inline constexpr uint32_t kMaxLoaderWorkers = 256;

struct LoaderOptions {
  uint32_t batch_size = 0;  // at least 1
  uint32_t workers =
      2;  // threads, up to kMaxLoaderWorkers; 0: Next() prepares the batch itself. 2 as in the lab's DataLoader
  uint32_t prefetch = 2;   // batches per worker that may be ready or in preparation ahead of the caller; at least 1.
                           // 2 is the default of torch's DataLoader
  bool augment = true;     // random crop with padding 4 and flip; false: normalisation only
  bool drop_last = false;  // leave out a last batch that is shorter than batch_size
  uint64_t seed = 0;       // of the augmentation
  // Per channel, in units of full scale (byte / 255); NormalizeAsTrained() fills them. A std of 0 is an error.
  std::array<float, 3> mean = {};
  std::array<float, 3> std = {};
};

// Sets mean and std to what the lab normalises with: mean and image_std of the training split. InvalidArgument when
// `train` has no statistics.
absl::Status NormalizeAsTrained(const proto::DatasetInfo& train, LoaderOptions& options);

// One loader serves any number of epochs. To be used by one thread at a time; the workers are its own business.
class BatchLoader {
 public:
  // `images` must outlive the loader and not change meanwhile.
  BatchLoader(const ImageSet& images, LoaderOptions options);
  ~BatchLoader();  // stops the workers, also in the middle of an epoch
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // Begins an epoch over the images whose indices `order` lists (EpochOrder, or one rank's Shard), and the workers begin
  // to prepare it. What is left of an epoch before is dropped.
  void StartEpoch(uint32_t epoch, std::vector<uint32_t> order);

  // The next batch of the epoch, or false at its end (or when none was started). `batch`'s old buffers are used again.
  // InvalidArgument: options that cannot work, or an index in `order` beyond the images. ResourceExhausted: no memory
  // for a batch. Unavailable: a worker could not be started (fewer of them would change the times that are measured).
  // After an error the epoch is over: later calls return the same error until StartEpoch.
  absl::StatusOr<bool> Next(Batch* batch);

  // Batches of the current epoch; before the first StartEpoch, of an epoch over all images.
  uint32_t BatchCount() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_BATCH_LOADER_H_
