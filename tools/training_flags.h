// The flags of a training run that mean the same in every tool that trains: one name, one default, one help text.
#ifndef LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
#define LOCKSTEP_TOOLS_TRAINING_FLAGS_H_

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Copies --model --seed --learning_rate --momentum --weight_decay --augment --deterministic into `training`.
void ReadTrainingFlags(proto::TrainingSpec& training);

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TRAINING_FLAGS_H_
