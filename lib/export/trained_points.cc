#include "lib/export/trained_points.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {
namespace {

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

double BeginSeconds(const proto::Header& header) {
  absl::Time time;
  std::string error;
  return absl::ParseTime(absl::RFC3339_full, header.start_time(), &time, &error)
             ? absl::ToDoubleSeconds(time - absl::UnixEpoch())
             : 0;
}

std::string NameOf(const LabSweep& sweep, const proto::SweepPoint& point) {
  return absl::StrCat(StemOf(sweep), ".batch_", point.batch_size());
}
std::string NameOf(const LabScale& scale, const proto::ScalePoint& point) {
  return absl::StrCat(StemOf(scale), ".", point.ranks(), point.ranks() == 1 ? "_rank" : "_ranks", ".batch_",
                      point.batch_per_device(), ".", absl::AsciiStrToLower(proto::Reduction_Name(point.reduction())),
                      point.row().empty() ? "" : absl::StrCat(".", point.row()));
}

uint32_t GlobalBatch(const proto::SweepPoint& point) { return point.batch_size(); }
uint32_t GlobalBatch(const proto::ScalePoint& point) { return point.global_batch(); }

const proto::TrainingSpec& Training(const LabSweep& sweep, const proto::SweepPoint&) { return sweep.spec.training(); }
const proto::TrainingSpec& Training(const LabScale& scale, const proto::ScalePoint& point) {
  return TrainingOf(scale.spec, point);
}

bool IsTimed(const proto::SweepPoint&) { return true; }
bool IsTimed(const proto::ScalePoint& point) {
  return point.reduction() != proto::ABLATED && !(point.ranks() == 1 && point.reduction() == proto::ALL_REDUCE);
}

uint32_t CpuCores(const proto::Header& header, const proto::TrainingSpec& training) {
  return training.device() == proto::CPU ? header.host().cpu_cores() : 0;
}

template <typename File>
void AddPoints(const File& file, std::set<std::string>& taken, std::vector<TrainedPoint>& all) {
  uint32_t number = 0;
  for (const auto& point : file.points) {
    ++number;
    if (!point.epoch().empty()) {
      const proto::TrainingSpec& training = Training(file, point);
      all.push_back({FolderName(NameOf(file, point), taken), file.name(), number, BeginSeconds(file.header),
                     GlobalBatch(point), point.images_per_epoch(), file.spec.model().test_images(),
                     CpuCores(file.header, training), IsTimed(point), point.outcome() == proto::COMPLETED, &training,
                     &point.epoch()});
    }
  }
}

}  // namespace

std::vector<TrainedPoint> TrainedPointsOf(const LabRecords& lab) {
  std::vector<TrainedPoint> all;
  std::set<std::string> taken;
  for (const LabSweep& sweep : lab.sweeps) {
    AddPoints(sweep, taken, all);
  }
  for (const LabScale& scale : lab.scales) {
    AddPoints(scale, taken, all);
  }
  return all;
}

}  // namespace lockstep
