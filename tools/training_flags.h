// The flags of a training run that mean the same in every tool that trains: one name, one default, one help text.
#ifndef LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
#define LOCKSTEP_TOOLS_TRAINING_FLAGS_H_

#include <cstdint>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Ends of ranges: far beyond any use, and small enough that no count made of two of them needs more than 32 bits.
inline constexpr uint32_t kMostImages = 1'000'000;  // of a batch
inline constexpr uint32_t kMostThreads = 1024;  // of the CPU: beyond that OpenMP may find no memory for their stacks
inline constexpr uint32_t kMostRanks = 1024;

// Copies --model --seed --learning_rate --momentum --weight_decay --augment --deterministic into `training`.
void ReadTrainingFlags(proto::TrainingSpec& training);

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
