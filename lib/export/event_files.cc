#include "lib/export/event_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/export/event_file.h"
#include "lib/export/point_files.h"
#include "lib/export/trained_points.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr const char* kFileName = "events.out.tfevents.lockstep";

}  // namespace

std::vector<TrainingEvents> EventsOf(const LabRecords& lab) {
  std::vector<TrainingEvents> events;
  for (const TrainedPoint& point : TrainedPointsOf(lab)) {
    events.push_back({point.name, EventFileBytes(*point.epochs, point.begin_seconds)});
  }
  return events;
}

absl::Status RunEventFiles(const std::vector<std::string>& inputs, const std::string& folder, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  PointFolder board = {"--tensorboard", folder, kEventFileMark, inputs, {}};
  for (TrainingEvents& one : EventsOf(lab)) {
    board.files.push_back({JoinPath(one.run, kFileName), std::move(one.bytes)});
  }
  RETURN_IF_ERROR(WritePointFiles(board, force));
  LogLine(absl::StrCat("report: wrote the epochs of ", board.files.size(),
                       " points; see them with: tensorboard --logdir=", folder));
  return absl::OkStatus();
}

}  // namespace lockstep
