#include "lib/export/prometheus.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"
#include "lib/scaling/point_energy.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

constexpr char kPrometheusMark[] = "made by Lockstep: report, prometheus";

// Returns the gauges in their order in the file, without samples.
std::vector<Gauge> NoSamples() {
  return {
      {"lockstep_record_end_timestamp_seconds", "Time when the record was finished, since 1970.", {}},
      {"lockstep_point_completed", "1: the point completed; 0: it ran out of memory or failed.", {}},
      {"lockstep_epoch_seconds", "Wall time of an epoch with data loading: mean of the timed epochs.", {}},
      {"lockstep_images_per_second", "Images of an epoch / its mean seconds, over all ranks.", {}},
      {"lockstep_data_wait_seconds", "Time of an epoch spent waiting for the loader.", {}},
      {"lockstep_communication_busy_seconds", "Time of an epoch in which an all-reduce ran, overlapped or not.", {}},
      {"lockstep_exposed_communication_seconds",
       "Time from the end of backward to the end of the last all-reduce, summed over an epoch, of the rank with the "
       "largest sum.",
       {}},
      {"lockstep_peak_memory_bytes", "Peak memory of a device; the largest of several ranks.", {}},
      {"lockstep_epoch_joules", "Energy of all devices in an epoch: mean of the timed epochs.", {}},
      {"lockstep_image_joules", "Energy of all devices in an epoch / images of the epoch.", {}},
      {"lockstep_training_loss", "Mean training loss over the images of the last epoch.", {}},
      {"lockstep_test_accuracy_ratio", "Fraction of correct test images at the last evaluation.", {}},
      {"lockstep_epoch_speedup_ratio",
       "Epoch time of one device / that of all at this batch per device: E_1(B)/E_N(B).",
       {}},
      {"lockstep_strong_speedup_ratio",
       "Epoch time of one device / that of all at the same global batch: E_1(N*B)/E_N(B).",
       {}},
      {"lockstep_weak_speedup_ratio", "N x step time of one device / that of all; ideal: N.", {}},
      {"lockstep_all_reduce_bytes_per_second", "Bus bandwidth of the gradient's all-reduce alone.", {}},
  };
}

class GaugeList {
 public:
  void Add(const std::string& name, const GaugeLabels& labels, double value) {
    const auto gauge = std::find_if(gauges_.begin(), gauges_.end(), [&](const Gauge& one) { return one.name == name; });
    gauge->samples.push_back({labels, value});
  }
  void Add(const std::string& name, const GaugeLabels& labels, const proto::Samples& samples) {
    if (!samples.value().empty()) {
      Add(name, labels, Mean(samples.value()));
    }
  }
  void Add(const std::string& name, const GaugeLabels& labels, const proto::Quantity& quantity) {
    if (quantity.has_value()) {
      Add(name, labels, quantity.value());
    }
  }

  GaugeLabels Unique(GaugeLabels labels) {
    if (const int count = ++taken_[labels]; count > 1) {
      labels.push_back({"number", absl::StrCat(count)});
    }
    return labels;
  }

  std::vector<Gauge>&& Take() { return std::move(gauges_); }

 private:
  std::vector<Gauge> gauges_ = NoSamples();
  std::map<GaugeLabels, int> taken_;
};

std::string Lower(const std::string& name, const char* unspecified) {
  return name == unspecified ? "" : absl::AsciiStrToLower(name);
}
std::string PrecisionName(proto::Precision precision) {
  return Lower(proto::Precision_Name(precision), "PRECISION_UNSPECIFIED");
}
std::string StepName(proto::StepKind step) { return Lower(proto::StepKind_Name(step), "STEP_KIND_UNSPECIFIED"); }

GaugeLabels RecordLabels(const RecordSource& source, const std::string& model) {
  return {{"record", source.name()},
          {"model", model},
          {"device", source.header.device_size() > 0 ? source.header.device(0).name() : ""}};
}

void AddSettings(const proto::PointSettings& settings, GaugeLabels& labels) {
  labels.insert(labels.end(), {{"mode", Lower(proto::ScaleMode_Name(settings.mode()), "SCALE_MODE_UNSPECIFIED")},
                               {"preset", settings.preset()},
                               {"step", StepName(settings.step())},
                               {"precision", PrecisionName(settings.precision())},
                               {"gradient_compression", settings.gradient_compression()},
                               {"buffers", settings.buffers()},
                               {"reducer", settings.reducer()},
                               {"bucket_plan", settings.bucket_plan()}});
}

GaugeLabels LabelsOf(const LabSweep& sweep, const proto::SweepPoint& point) {
  GaugeLabels labels = RecordLabels(sweep, sweep.spec.training().model());
  labels.insert(labels.end(), {{"ranks", "1"},
                               {"batch_per_device", absl::StrCat(point.batch_size())},
                               {"preset", sweep.spec.preset()},
                               {"step", StepName(sweep.spec.training().step())},
                               {"precision", PrecisionName(sweep.spec.training().precision())}});
  return labels;
}

GaugeLabels LabelsOf(const LabScale& scale, const proto::ScalePoint& point) {
  GaugeLabels labels = RecordLabels(scale, scale.spec.training().model());
  labels.insert(labels.end(),
                {{"ranks", absl::StrCat(point.ranks())},
                 {"batch_per_device", absl::StrCat(point.batch_per_device())},
                 {"reduction", Lower(proto::Reduction_Name(point.reduction()), "REDUCTION_UNSPECIFIED")}});
  AddSettings(SettingsOf(scale.spec, point), labels);
  if (!point.row().empty()) {
    labels.push_back({"row", point.row()});
    labels.push_back({"seed", absl::StrCat(TrainingOf(scale.spec, point).seed())});
  }
  return labels;
}

GaugeLabels LabelsOf(const LabCommModel& file, const proto::ScalingRow& row) {
  GaugeLabels labels = RecordLabels(file, "");
  labels.insert(labels.end(),
                {{"ranks", absl::StrCat(row.ranks())}, {"batch_per_device", absl::StrCat(row.batch_per_device())}});
  if (row.has_settings()) {
    AddSettings(row.settings(), labels);
  }
  return labels;
}

void AddEnd(const RecordSource& source, GaugeList& gauges) {
  absl::Time time;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, source.trailer.end_time(), &time, &error)) {
    gauges.Add("lockstep_record_end_timestamp_seconds",
               gauges.Unique({{"record", source.name()}, {"tool", source.header.build().tool()}}),
               absl::ToDoubleSeconds(time - absl::UnixEpoch()));
  }
}

template <typename Point>
void AddTraining(const Point& point, const GaugeLabels& labels, GaugeList& gauges) {
  gauges.Add("lockstep_point_completed", labels, point.outcome() == proto::COMPLETED ? 1 : 0);
  gauges.Add("lockstep_epoch_seconds", labels, point.epoch_seconds());
  if (const double seconds = Mean(point.epoch_seconds().value()); seconds > 0) {
    gauges.Add("lockstep_images_per_second", labels, static_cast<double>(point.images_per_epoch()) / seconds);
  }
  gauges.Add("lockstep_data_wait_seconds", labels, point.data_wait_seconds());
  if (!point.epoch().empty()) {
    gauges.Add("lockstep_training_loss", labels, point.epoch(point.epoch_size() - 1).mean_loss());
  }
  std::optional<double> accuracy;
  for (const proto::EpochResult& epoch : point.epoch()) {
    accuracy = epoch.has_test_accuracy() ? epoch.test_accuracy() : accuracy;
  }
  if (accuracy.has_value()) {
    gauges.Add("lockstep_test_accuracy_ratio", labels, *accuracy);
  }
}

void AddMemory(uint64_t bytes, const GaugeLabels& labels, GaugeList& gauges) {
  if (bytes > 0) {
    gauges.Add("lockstep_peak_memory_bytes", labels, static_cast<double>(bytes));
  }
}

void AddEnergy(const proto::Quantity& epoch_joules, uint64_t images, const GaugeLabels& labels, GaugeList& gauges) {
  gauges.Add("lockstep_epoch_joules", labels, epoch_joules);
  gauges.Add("lockstep_image_joules", labels, JoulesPerImage(epoch_joules, images));
}

void AddPoint(const LabSweep&, const proto::SweepPoint& point, const GaugeLabels& labels, GaugeList& gauges) {
  AddTraining(point, labels, gauges);
  AddMemory(point.peak_memory_bytes(), labels, gauges);
  AddEnergy(point.epoch_joules(), point.images_per_epoch(), labels, gauges);
}

void AddPoint(const LabScale& scale, const proto::ScalePoint& point, const GaugeLabels& labels, GaugeList& gauges) {
  AddTraining(point, labels, gauges);
  gauges.Add("lockstep_communication_busy_seconds", labels, point.collective_busy_seconds());
  gauges.Add("lockstep_exposed_communication_seconds", labels, point.exposed_seconds());
  uint64_t max_bytes = 0;
  for (const proto::RankFacts& rank : point.rank()) {
    max_bytes = std::max<uint64_t>(max_bytes, rank.peak_memory_bytes());
  }
  AddMemory(max_bytes, labels, gauges);
  AddEnergy(PointEpochJoules(scale.spec, point), point.images_per_epoch(), labels, gauges);
}

void AddPoint(const LabCommModel&, const proto::ScalingRow& row, const GaugeLabels& labels, GaugeList& gauges) {
  gauges.Add("lockstep_epoch_speedup_ratio", labels, row.epoch_speedup());
  gauges.Add("lockstep_strong_speedup_ratio", labels, row.strong_speedup());
  gauges.Add("lockstep_weak_speedup_ratio", labels, row.weak_speedup());
  gauges.Add("lockstep_all_reduce_bytes_per_second", labels, row.measured_link_bytes_per_second());
}

template <typename File, typename Points>
void AddAll(const File& file, const Points& points, GaugeList& gauges) {
  for (const auto& point : points) {
    AddPoint(file, point, gauges.Unique(LabelsOf(file, point)), gauges);
  }
}

}  // namespace

std::vector<Gauge> GaugesOf(const LabRecords& lab) {
  GaugeList gauges;
  for (const RecordSource* source : lab.Sources()) {
    AddEnd(*source, gauges);
  }
  for (const LabSweep& sweep : lab.sweeps) {
    AddAll(sweep, sweep.points, gauges);
  }
  for (const LabScale& scale : lab.scales) {
    AddAll(scale, scale.points, gauges);
  }
  for (const LabCommModel& file : lab.comm_models) {
    AddAll(file, file.rows, gauges);
  }
  return gauges.Take();
}

absl::Status RunPrometheus(const std::vector<std::string>& inputs, const std::string& output, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {{"--prometheus", output, ""}}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  size_t points = 0;
  for (const LabSweep& sweep : lab.sweeps) {
    points += sweep.points.size();
  }
  for (const LabScale& scale : lab.scales) {
    points += scale.points.size();
  }
  for (const LabCommModel& file : lab.comm_models) {
    points += file.rows.size();
  }
  if (points == 0) {
    return absl::FailedPreconditionError(
        "--prometheus: no record of --input has points; give a record of train_sweep, scale_run or comm_model");
  }
  RETURN_IF_ERROR(WriteWholeFile(output, absl::StrCat("# ", kPrometheusMark, "\n", PrometheusText(GaugesOf(lab))),
                                 ReplaceIfForced(force, ReplaceMarked(kPrometheusMark))));
  LogLine(absl::StrCat("report: wrote the gauges of ", points, " points to ", output));
  return absl::OkStatus();
}

}  // namespace lockstep
