// The machine on which a lab runs: its GPUs and cores, the folder of the tools, and facts that are read from records.
#ifndef LOCKSTEP_LIB_LAB_LAB_MACHINE_H_
#define LOCKSTEP_LIB_LAB_LAB_MACHINE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/lab/lab_progress.h"
#include "lib/lab/lab_request.h"

namespace lockstep {

// Folders of the installation: bazel-bin/tools, or a portable folder (tools/package.sh).
struct LabPlaces {
  std::string tools;      // folder of the tools
  std::string published;  // folder of the published tables; empty if it was not found
};

// Finds the folders from the path of this program, and the published tables also in a test's runfiles. Returns
// FailedPreconditionError if the tools are not there, and InvalidArgumentError if the folder of the tables has a comma
// in its name.
absl::StatusOr<LabPlaces> FindLabPlaces(const std::string& program);

// Returns the paths of the hand-ins in this folder, in alphabetical order.
std::vector<std::string> PublishedTables(const std::string& folder);

// Reads the GPUs and the cores. `device` is auto, cpu or cuda. Returns UnavailableError for cuda without a GPU.
absl::StatusOr<LabFacts> ReadMachine(const std::string& device);

// Returns the records in the lab's folder and the commands that made them, journals of stopped runs included. A file
// that cannot be read is left out; the tool that would write it reports what the file is.
std::map<std::string, MadeRecord> ReadMadeRecords(const std::string& folder);

// Sets cpu_speed from the record of the short run (PreparationSteps): images per second of its median epoch. Returns
// the errors of RecordReader, and DataLossError if the record has no time.
absl::Status ReadCpuSpeed(const std::string& probe, LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_MACHINE_H_
