#include "lib/export/event_files.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/export/event_file.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr const char* kFileName = "events.out.tfevents.lockstep";

// Returns a name that is valid as one folder on every system and not in `taken`.
std::string FolderName(const std::string& text, std::set<std::string>& taken) {
  std::string name;
  for (const char c : text) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = absl::StrCat(name, "_", number);
  }
  return unique;
}

std::string StemOf(const RecordSource& source) {
  const std::vector<std::string> parts = absl::StrSplit(source.name(), absl::MaxSplits('.', 1));
  return parts[0].empty() ? "record" : parts[0];
}

// Returns seconds since 1970; 0 if the header has no start time.
double BeginSeconds(const proto::Header& header) {
  absl::Time time;
  std::string error;
  return absl::ParseTime(absl::RFC3339_full, header.start_time(), &time, &error)
             ? absl::ToDoubleSeconds(time - absl::UnixEpoch())
             : 0;
}

std::string NameOf(const LabScale& scale, const proto::ScalePoint& point) {
  return absl::StrCat(StemOf(scale), ".", point.ranks(), point.ranks() == 1 ? "_rank" : "_ranks", ".batch_",
                      point.batch_per_device(), ".", absl::AsciiStrToLower(proto::Reduction_Name(point.reduction())),
                      point.row().empty() ? "" : absl::StrCat(".", point.row()));
}

}  // namespace

std::vector<TrainingEvents> EventsOf(const LabRecords& lab) {
  std::vector<TrainingEvents> events;
  std::set<std::string> taken;
  const auto add = [&](const std::string& name, const auto& point, const proto::Header& header) {
    if (!point.epoch().empty()) {
      events.push_back({FolderName(name, taken), EventFileBytes(point.epoch(), BeginSeconds(header))});
    }
  };
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      add(absl::StrCat(StemOf(sweep), ".batch_", point.batch_size()), point, sweep.header);
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      add(NameOf(scale, point), point, scale.header);
    }
  }
  return events;
}

absl::Status RunEventFiles(const std::vector<std::string>& inputs, const std::string& folder, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  const std::vector<TrainingEvents> events = EventsOf(lab);
  if (events.empty()) {
    return absl::FailedPreconditionError(
        "--tensorboard: no record of --input has epochs; give a record of train_sweep or scale_run");
  }
  RunFiles files = {inputs, {}};
  for (const TrainingEvents& one : events) {
    const std::string run = JoinPath(folder, one.run);
    std::error_code error;
    std::filesystem::create_directories(run, error);
    if (error) {
      return absl::InvalidArgumentError(
          absl::StrCat("--tensorboard=", folder, ": expected a folder to write to: ", run, ": ", error.message()));
    }
    files.outputs.push_back({"--tensorboard", JoinPath(run, kFileName), ""});
  }
  RETURN_IF_ERROR(DeclareRunFiles(files));
  for (size_t i = 0; i < events.size(); ++i) {
    RETURN_IF_ERROR(
        WriteWholeFile(files.outputs[i].path, events[i].bytes, ReplaceIfForced(force, ReplaceMarked(kEventFileMark))));
  }
  LogLine(absl::StrCat("report: wrote the epochs of ", events.size(),
                       " points; see them with: tensorboard --logdir=", folder));
  return absl::OkStatus();
}

}  // namespace lockstep
