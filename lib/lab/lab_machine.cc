#include "lib/lab/lab_machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/path.h"
#include "lib/base/processors.h"
#include "lib/base/status_macros.h"
#include "lib/device/nvidia_driver.h"
#include "lib/lab/lab_costs.h"
#include "lib/lab/lab_unit.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr int kMaxGpus = 8;            // more do not change the numbers of ranks (RanksOf)
constexpr int kBf16Capability = 8;     // first compute capability whose tensor cores have bf16
constexpr double kMinCpuSpeed = 0.02;  // bounds of a plausible probe
constexpr double kMaxCpuSpeed = 50;
constexpr char kJournalEnd[] = ".part";

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::string FindPublished(const std::string& program, const std::string& tools) {
  const char* test = std::getenv("TEST_SRCDIR");
  std::vector<std::string> roots = {tools};
  for (const std::string& runfiles : {absl::StrCat(program, ".runfiles"), std::string(test == nullptr ? "" : test)}) {
    if (!runfiles.empty()) {
      roots.push_back(JoinPath(runfiles, "_main"));  // Bazel 7 and newer
      roots.push_back(JoinPath(runfiles, "lockstep"));
    }
  }
  for (const std::string& root : roots) {
    if (const std::string folder = JoinPath(root, "data/published"); IsFolder(folder)) {
      return folder;
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<LabPlaces> FindLabPlaces(const std::string& program) {
  LabPlaces places;
  places.tools = FolderOf(program);
  if (FileNameOf(places.tools) == "libexec") {
    places.tools = FolderOf(places.tools);  // a portable folder: its launchers find LibTorch
  }
  if (access(JoinPath(places.tools, "cifar_prep").c_str(), X_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the tools are not in ", places.tools, "; build them: bazel build //tools:all"));
  }
  places.published = FindPublished(program, places.tools);
  if (absl::StrContains(places.published, ',')) {
    return absl::InvalidArgumentError(
        absl::StrCat(places.published,
                     ": expected a folder without a comma in its name, because lists of files are "
                     "separated by commas; move the tools to another folder"));
  }
  return places;
}

std::vector<std::string> PublishedTables(const std::string& folder) {
  std::vector<std::string> tables;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (absl::StartsWith(name, "hand_in_") && absl::EndsWith(name, ".textproto")) {
      tables.push_back(JoinPath(folder, name));
    }
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

absl::StatusOr<LabFacts> ReadMachine(const std::string& device) {
  LabFacts facts;
  facts.cpu_threads = static_cast<uint32_t>(std::max(1, OwnProcessors() / 2));
  while (device != "cpu" && facts.gpus < kMaxGpus) {
    const absl::StatusOr<GpuFacts> gpu = ReadGpuFacts(static_cast<int>(facts.gpus));
    if (!gpu.ok()) {
      if (device == "cuda" && facts.gpus == 0) {
        return gpu.status();
      }
      break;
    }
    const std::vector<std::string> capability = absl::StrSplit(gpu->compute_capability, '.');
    int major = 0;
    facts.has_bf16 = absl::SimpleAtoi(capability[0], &major) && major >= kBf16Capability;
    ++facts.gpus;
  }
  return facts;
}

std::map<std::string, MadeRecord> ReadMadeRecords(const std::string& folder) {
  std::map<std::string, MadeRecord> made;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_complete = !absl::EndsWith(name, kJournalEnd);
    const std::string record(absl::StripSuffix(name, kJournalEnd));
    if (!absl::EndsWith(record, ".rec") || !entry.is_regular_file(error)) {
      continue;
    }
    const std::string path = JoinPath(folder, name);
    DeclareInput(path);
    const auto reader = RecordReader::Open(path, "");
    if (reader.ok()) {
      const auto& command = (*reader)->header().command_line();
      MadeRecord& found = made[JoinPath(folder, record)];
      if (!found.is_complete) {
        found = {WithoutForce({command.begin(), command.end()}), is_complete};
      }
    }
  }
  return made;
}

absl::Status ReadCpuSpeed(const std::string& probe, LabFacts& facts) {
  DeclareInput(probe);
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::SweepFile>(probe));
  for (const proto::SweepRecord& record : file.records) {
    std::vector<double> seconds(record.point().epoch_seconds().value().begin(),
                                record.point().epoch_seconds().value().end());
    if (!seconds.empty()) {
      std::sort(seconds.begin(), seconds.end());
      const double rate = static_cast<double>(record.point().images_per_epoch()) / seconds[seconds.size() / 2];
      facts.cpu_speed = std::clamp(rate / kProbeImagesPerSecond, kMinCpuSpeed, kMaxCpuSpeed);
      return absl::OkStatus();
    }
  }
  return absl::DataLossError(absl::StrCat(probe, ": the record has no timed epoch"));
}

}  // namespace lockstep
