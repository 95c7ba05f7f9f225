// LabUnit: commands with their predicted durations, which the plan takes or leaves out as a whole.
#ifndef LOCKSTEP_LIB_LAB_LAB_UNIT_H_
#define LOCKSTEP_LIB_LAB_LAB_UNIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/lab/lab_request.h"

namespace lockstep {

// One command.
struct LabStep {
  std::vector<std::string> command;  // [0] is the tool's name
  std::string record;                // path of the record that the command writes
  double seconds = 0;                // predicted duration
  bool is_derived = false;  // true if the record is computed from records, so that replacing it loses no measurement
  bool is_shown = true;     // true if the report reads the record
  bool is_made = false;     // true if the record is complete, so that the command takes no time
};

// One extent in which a unit can be measured.
struct LabVariant {
  std::string extent;  // batches, repeats or seeds, for the list of what was reduced: "batch 32, 128, 512; 3 epochs"
  std::vector<LabStep> steps;
};

// Steps that answer the same questions.
struct LabUnit {
  std::string name;                       // "fast", "fp32", "int8", ...
  std::string about;                      // measurements and questions: "batches and scaling, Q1 to Q3"
  bool is_experiment = false;             // true if --questions asks for the unit
  std::string needs = "";                 // name of the unit whose records the steps read; empty: none
  bool has_question = true;               // false: the unit answers no question of the lab
  bool may_shrink = false;                // true if later steps may have a smaller extent than the first one
  std::vector<LabVariant> variants = {};  // extents in ascending order; at least one, unless `excluded` has a text
  std::string excluded = "";              // reason why the data set excludes the unit; empty: it can be measured
};

// Returns the command without --force, which does not change the result.
std::vector<std::string> WithoutForce(std::vector<std::string> command);

// Returns the sum of the predicted durations.
double SecondsOf(const std::vector<LabStep>& steps);

// Returns the path of NAME.rec in the lab's folder.
std::string LabRecord(const LabRequest& request, const std::string& name);

// Returns the path of the data set's record: --input itself if it is one, otherwise dataset.rec in the lab's folder.
std::string DatasetRecord(const LabRequest& request);

// Returns "32,128".
std::string NumberList(const std::vector<uint32_t>& numbers);

// Returns the step TOOL --input=INPUT FLAG... --output=NAME.rec, with --force if the request has it.
LabStep MakeStep(const LabRequest& request, const std::string& tool, const std::string& input,
                 const std::vector<std::string>& flags, const std::string& name);

// Returns the step that makes NAME.rec with this number of synthetic training images. They have 32x32 pixels and
// `classes` classes.
LabStep SyntheticStep(const LabRequest& request, uint32_t images, uint32_t classes, const std::string& name);

// Returns true if the machine has the fast preset and the model of the tables is ResNet-18.
bool AsksForFastPreset(const LabRequest& request, const LabFacts& facts);

// Returns true if the experiments and the first tables use the fast preset: if it is asked for, and its step can train
// on images of this size and number of classes (lib/networks/fused_shape.h).
bool HasFastPreset(const LabRequest& request, const LabFacts& facts);

// Returns the predicted seconds of an epoch on `ranks` ranks. Ranks on a CPU share its cores and are not faster.
double EpochSecondsOn(const LabFacts& facts, const std::string& model, const std::string& preset, uint32_t ranks,
                      uint32_t batch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_UNIT_H_
