#include "lib/dataset/batch_loader.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// One epoch, shared with the workers; immutable once made.
struct Epoch {
  uint32_t number = 0;
  std::vector<uint32_t> order;
  uint32_t batch_count = 0;
};

// One batch in preparation or waiting to be taken. Batch b of an epoch uses slot b % slots.
struct Slot {
  bool ready = false;
  absl::Status status;
  Batch batch;
};

absl::Status CheckOptions(const LoaderOptions& options, ImageExtent extent) {
  if (options.batch_size == 0) {
    return absl::InvalidArgumentError("a loader's batch size must be at least 1, found 0");
  }
  if (options.workers > kMaxLoaderWorkers) {
    return absl::InvalidArgumentError(
        absl::StrCat("a loader has at most ", kMaxLoaderWorkers, " workers, found ", options.workers));
  }
  if (options.workers > 0 && options.prefetch == 0) {
    return absl::InvalidArgumentError("a loader with workers must prefetch at least 1 batch per worker, found 0");
  }
  if (options.augment && !FitsExtent(options.rule, extent)) {
    return absl::InvalidArgumentError(absl::StrCat("a loader's cutout of ", options.rule.cutout,
                                                   " pixels or its reflected border of ", kCropPadding,
                                                   " is too large for images of ", extent.height, "x", extent.width));
  }
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    if (!(options.std[c] > 0) || !std::isfinite(options.mean[c])) {
      return absl::InvalidArgumentError(absl::StrCat("a loader needs a finite mean and a std above 0; channel ", c,
                                                     " has mean ", options.mean[c], " and std ", options.std[c],
                                                     "; take them from the statistics of the training split"));
    }
  }
  return absl::OkStatus();
}

uint32_t CountBatches(uint64_t images, const LoaderOptions& options) {
  const uint64_t size = std::max<uint64_t>(1, options.batch_size);
  return static_cast<uint32_t>(options.drop_last ? images / size : (images + size - 1) / size);
}

// Fills `batch` with batch `index` of the epoch.
absl::Status FillBatch(const ImageSet& set, const LoaderOptions& options, const NormalizationTable& table,
                       const Epoch& epoch, uint32_t index, Batch& batch) {
  const size_t first = static_cast<size_t>(index) * options.batch_size;
  const size_t size = std::min<size_t>(options.batch_size, epoch.order.size() - first);
  batch.size = static_cast<uint32_t>(size);
  const size_t image_bytes = set.image_bytes();
  const ImageExtent extent = {set.height(), set.width()};
  batch.images.resize(size * image_bytes);
  batch.labels.resize(size);
  for (size_t i = 0; i < size; ++i) {
    const uint32_t image = epoch.order[first + i];
    if (image >= set.size()) {
      return absl::InvalidArgumentError(absl::StrCat("batch ", index, " of epoch ", epoch.number, " needs image ",
                                                     image, ", but there are ", set.size()));
    }
    const Augmentation augmentation =
        options.augment ? DrawAugmentation(options.seed, epoch.number, image, options.rule, extent) : Augmentation{};
    AugmentImage(&set.pixels[image * image_bytes], augmentation, table, &batch.images[i * image_bytes], extent);
    batch.labels[i] = set.labels[image];
  }
  return absl::OkStatus();
}

// Calls FillBatch and returns the allocator's exception as a Status: an exception in a thread would end the process.
absl::Status TryFillBatch(const ImageSet& set, const LoaderOptions& options, const NormalizationTable& table,
                          const Epoch& epoch, uint32_t index, Batch& batch) {
  try {
    return FillBatch(set, options, table, epoch, index, batch);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat("not enough memory for a batch of ", options.batch_size,
                                                     " images (",
                                                     uint64_t{options.batch_size} * set.image_bytes() * sizeof(float),
                                                     " bytes); take a smaller batch, or fewer workers"));
  }
}

}  // namespace

// State shared with the workers. Uses std::mutex and not Abseil's, because the thread sanitizer cannot instrument
// Abseil in a prebuilt binary.
struct BatchLoader::State {
  State(const ImageSet& images, const LoaderOptions& loader_options)
      : set(images), options(loader_options),
        options_status(CheckOptions(loader_options, {images.height(), images.width()})),
        table(MakeNormalizationTable(loader_options.mean, loader_options.std)),
        slots(options_status.ok() ? uint64_t{loader_options.workers} * loader_options.prefetch : 0) {}

  // Returns true if a batch is left to prepare and a slot is free for it. The lock must be held.
  bool CanClaim() const {
    return epoch != nullptr && next_claim < epoch->batch_count && next_claim < next_take + slots.size();
  }
  void Work();
  absl::Status WaitAndTake(Batch* batch);

  const ImageSet& set;
  const LoaderOptions options;
  const absl::Status options_status;
  const NormalizationTable table;

  std::mutex mutex;                   // guards all members below up to `error`
  std::condition_variable claimable;  // signals workers: a batch can be claimed, or stopping
  std::condition_variable ready;      // signals the caller: a slot is ready
  bool stopping = false;
  std::shared_ptr<const Epoch> epoch;  // null: no epoch was started
  std::vector<Slot> slots;             // empty without workers
  uint32_t next_claim = 0;             // index of the batch that the next free worker prepares
  uint32_t next_take = 0;              // index of the batch that Next() hands over
  absl::Status error;                  // error of this epoch

  absl::Status start_status;  // error of starting the workers; only the constructor changes it
  ThreadGroup workers;
};

// Runs one worker: claims the next batch, prepares it outside the lock, and puts it into its slot. Discards the batch
// if its epoch was given up meanwhile.
void BatchLoader::State::Work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    claimable.wait(lock, [this] { return stopping || CanClaim(); });
    if (stopping) {
      return;
    }
    const std::shared_ptr<const Epoch> mine = epoch;
    const uint32_t index = next_claim++;
    Batch batch = std::move(slots[index % slots.size()].batch);  // reuses its buffers
    lock.unlock();
    absl::Status status = TryFillBatch(set, options, table, *mine, index, batch);
    lock.lock();
    if (epoch == mine) {
      Slot& slot = slots[index % slots.size()];
      slot.batch = std::move(batch);
      slot.status = std::move(status);
      slot.ready = true;
      ready.notify_one();
    }
  }
}

// Waits for batch `next_take` of the epoch and takes it.
absl::Status BatchLoader::State::WaitAndTake(Batch* batch) {
  std::unique_lock<std::mutex> lock(mutex);
  Slot& slot = slots[next_take % slots.size()];
  ready.wait(lock, [&slot] { return slot.ready; });
  std::swap(*batch, slot.batch);  // recycles the caller's old buffers
  slot.ready = false;
  ++next_take;
  claimable.notify_one();
  return slot.status;
}

BatchLoader::BatchLoader(const ImageSet& images, LoaderOptions options)
    : state_(std::make_unique<State>(images, options)) {
  if (!state_->options_status.ok()) {
    return;  // Next() returns the error
  }
  for (uint32_t i = 0; i < options.workers && state_->start_status.ok(); ++i) {
    state_->start_status = state_->workers.Start([state = state_.get()] { state->Work(); });
  }
}

BatchLoader::~BatchLoader() {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->claimable.notify_all();
  state_->workers.Join();
}

void BatchLoader::StartEpoch(uint32_t epoch, std::vector<uint32_t> order) {
  auto started = std::make_shared<Epoch>();
  started->number = epoch;
  started->batch_count = CountBatches(order.size(), state_->options);
  started->order = std::move(order);
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    for (Slot& slot : state_->slots) {
      slot.ready = false;
    }
    state_->next_claim = 0;
    state_->next_take = 0;
    state_->error = absl::OkStatus();
    state_->epoch = std::move(started);
  }
  state_->claimable.notify_all();
}

// `epoch`, `next_take` and `error` are changed only on the caller's thread, which may therefore read them without the
// lock.
absl::StatusOr<bool> BatchLoader::Next(Batch* batch) {
  State& state = *state_;
  RETURN_IF_ERROR(state.options_status);
  RETURN_IF_ERROR(state.start_status);
  RETURN_IF_ERROR(state.error);
  if (state.epoch == nullptr || state.next_take == state.epoch->batch_count) {
    return false;
  }
  state.error = state.slots.empty()
                    ? TryFillBatch(state.set, state.options, state.table, *state.epoch, state.next_take++, *batch)
                    : state.WaitAndTake(batch);
  RETURN_IF_ERROR(state.error);
  return true;
}

uint32_t BatchLoader::BatchCount() const {
  return CountBatches(state_->epoch != nullptr ? state_->epoch->order.size() : state_->set.size(), state_->options);
}

absl::Status NormalizeAsTrained(const proto::DatasetInfo& train, LoaderOptions& options) {
  const proto::ChannelStatistics& statistics = train.statistics();
  if (statistics.mean_size() != 3 || statistics.image_std_size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("expected statistics of 3 channels, found ", statistics.mean_size(),
                                                   " means and ", statistics.image_std_size(), " image_std"));
  }
  for (int c = 0; c < 3; ++c) {
    options.mean[c] = static_cast<float>(statistics.mean(c));
    options.std[c] = static_cast<float>(statistics.image_std(c));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
