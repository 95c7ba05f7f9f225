// Conditions under which a run was made, and the differences between those of two runs.
#ifndef LOCKSTEP_LIB_SCALING_RUN_CONDITIONS_H_
#define LOCKSTEP_LIB_SCALING_RUN_CONDITIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Conditions of one run; times are comparable if they are equal. The pointers must not be null.
struct RunConditions {
  const proto::Header* header;
  const proto::ModelFacts* model;
  const proto::TrainingSpec* training;
};

// Returns one text per difference that can change a time: the images, the device, and each setting by the name of its
// field, "precision bf16 instead of fp32". The value of `found` comes first. Empty: the times are comparable.
std::vector<std::string> ConditionDifferences(const RunConditions& expected, const RunConditions& found);

// One setting of a training run.
struct TrainingSetting {
  std::string name;   // name of its field: "precision"
  std::string value;  // like its flag takes it: "bf16", "60,80", "false"; if unset "none", or "unset" for an enum
};

// Returns the settings of `training` that can change a time, in the order of their fields. All runs have the same
// names.
std::vector<TrainingSetting> ComparableSettings(const proto::TrainingSpec& training);

// Number of differences that a message shows; the others are counted.
inline constexpr size_t kMaxShownDifferences = 5;

// Returns ConditionDifferences as one text: the first kMaxShownDifferences, then "and 3 more". Empty if there are none.
std::string WhyConditionsDiffer(const RunConditions& expected, const RunConditions& found);

// Returns a text that two runs share if and only if WhyConditionsDiffer finds no difference between them.
std::string ConditionsKey(const RunConditions& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_RUN_CONDITIONS_H_
