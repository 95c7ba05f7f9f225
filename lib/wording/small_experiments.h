// Experiments in the extent that a CPU measures in minutes, with their predicted seconds. The lab plans them, and a
// page suggests them; all values that both must share are here. Thread-safe.
#ifndef LOCKSTEP_LIB_WORDING_SMALL_EXPERIMENTS_H_
#define LOCKSTEP_LIB_WORDING_SMALL_EXPERIMENTS_H_

#include <cstdint>
#include <string>

namespace lockstep {

// Number of seeds per row: two show a spread, so that differences can be tested.
inline constexpr uint32_t kSmallSeeds = 2;

// --- large_batch (Q4), sampler_epoch (Q5) ---

inline constexpr uint32_t kExperimentEpochs = 5;  // default of scale_run's experiments
// Remedies that the small extent of large_batch tries, one at a time.
inline constexpr const char* kSmallRemedies[] = {"linear rate", "warm-up", "clipping", "LARS", "label smoothing"};

// Returns the value of --rows for the base batch, the large batch, and the large batch with each remedy; batches are in
// images over all ranks: "128;8192;8192, linear rate;...".
std::string SmallLargeBatchRows(uint32_t base, uint32_t large);

// --- what_is_sent (Q6, Q7): ResNet-18 on few synthetic images ---

inline constexpr uint32_t kFewImages = 128;     // training images
inline constexpr uint32_t kFewTestImages = 32;  // test images
inline constexpr uint32_t kFewPerRank = 16;     // images per rank and step
inline constexpr uint32_t kFewEpochs = 2;
inline constexpr char kFewRows[] = "gradients only;buffers broadcast";  // a CPU has no batch norm over all ranks
inline constexpr uint32_t kFewRowCount = 2;

// --- Seconds on a CPU ---

// Seconds of a training step: images x per_image + per_step.
struct StepCost {
  double per_image;
  double per_step;

  // Returns the seconds for `images` images in steps of `batch` images, which must be at least 1.
  constexpr double Seconds(double images, double batch) const { return images * (per_image + per_step / batch); }
};

// LeNet-5 on one core of an Intel Xeon: 0.255 and 0.227 s per 2,048 images at batch 32 and 256 (2026-11-28, two cores
// shared with other programs, train_sweep --model=lenet5 --threads=1 --repeats=3).
inline constexpr StepCost kCpuLeNet = {1.09e-4, 4.9e-4};

// ResNet-18 on one core of the same CPU: 0.864 s per 32 images at batch 16, 0.931 s at batch 8 (2026-11-28, the lab of
// .ci/run).
inline constexpr StepCost kCpuResNet = {2.5e-2, 3.3e-2};

// Start and end of a point on a CPU: 1.0 s (train_sweep) and 0.9 s (scale_run), LeNet-5, 2026-11-28.
inline constexpr double kCpuPointSeconds = 1;

// Return the predicted seconds of the experiments on two cores of this CPU, one for each of two ranks. The ranks share
// the machine, so that an epoch takes as long as on one core. Batches are in images over both ranks, `images` are those
// of the training set.
double SmallLargeBatchSeconds(double images, uint32_t base, uint32_t large);
double SmallSamplerSeconds(double images, uint32_t batch);
double SmallSentSeconds();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_SMALL_EXPERIMENTS_H_
