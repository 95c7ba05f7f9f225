// Options of scale_run: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_OPTIONS_H_
#define LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct ScaleRunOptions {
  std::string input;                 // dataset.rec; "-": standard input
  std::string output = "scale.rec";  // "-": standard output
  bool force = false;
  bool dry_run = false;           // print the plan, write nothing
  std::string device = "auto";    // argument of ResolveDevice; a rank on CUDA uses the GPU of its local number
  std::string prediction;         // comm_model record made before this run, digest in the header's inputs; empty: none
  std::vector<std::string> rows;  // rows of an experiment's table to train; empty: all

  // If true, the stage chooses the number of held-out images: a tenth of the training images for LARGE_BATCH, whose
  // remedies are chosen by them, and 0 for all other runs. If false, it is training.validation_images.
  bool default_validation = false;

  // If true, batch sizes larger than a rank's share of the images are left out, as long as one fits.
  bool default_batches = false;

  // Same as in TrainSweepOptions. kept_files.h chooses the point that leaves the checkpoint.
  bool resume = false;
  uint32_t state_every = 1;
  std::string checkpoint;
  uint32_t checkpoint_batch = 0;

  // Requested settings, as in the record. The caller must set preset, batch_mode, ranks, batch_size, overlap,
  // first_bucket_bytes, bucket_bytes, buffers, gradient_compression (empty: the preset's), evaluate, evaluate_every,
  // target_accuracy and timeout_seconds; and in `training` everything that TrainSweepOptions has, with the threads of
  // each rank (0: ThreadsPerRank). The stage sets the other fields.
  proto::ScaleSpec spec;
};

// Returns the number of images to hold out of a training split of `training_images`.
uint32_t ValidationImages(const ScaleRunOptions& options, uint64_t training_images);

// With `default_batches`, removes the batch sizes that are larger than a rank's share of `images` from the spec, and
// returns them. Removes nothing if no batch would be left.
std::vector<uint32_t> LeaveOutLargeBatches(uint64_t images, ScaleRunOptions& options);

// Checks the options without the data set. InvalidArgument: options that are invalid for every data set.
absl::Status CheckScaleRunOptions(const ScaleRunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_OPTIONS_H_
