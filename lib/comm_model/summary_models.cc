#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/comm_model/short_text.h"
#include "lib/comm_model/summary.h"
#include "lib/statistics/statistics.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

std::string FitText(const proto::AllReduceFit& fit) {
  std::string text = absl::StrFormat(
      "  %s: %s; leave-one-out error of %u sizes: %.1f %% (median), %.1f %% (worst)%s; %d degrees of freedom\n",
      fit.source(), fit.accepted() ? "accepted" : absl::StrCat("REJECTED: ", fit.why_rejected()), fit.score().points(),
      kPercent.scale * fit.score().median_error(), kPercent.scale * fit.score().worst_error(),
      fit.score().worst_point().empty() ? "" : absl::StrCat(" (", fit.score().worst_point(), ")"),
      fit.degrees_of_freedom());
  for (const proto::LinkPiece& piece : fit.piece()) {
    absl::StrAppendFormat(&text, "    %12.0f to %12.0f bytes: alpha %s us, beta %s us/MB\n", piece.from_bytes(),
                          piece.to_bytes(), ShortText(piece.alpha_seconds(), kMicroseconds),
                          ShortText(piece.beta_seconds_per_byte(), kMicrosecondsPerMegabyte));
  }
  return text;
}

std::string StepTimeText(const proto::StepTimeModel& model) {
  std::string text = absl::StrFormat("  %s: %s", model.source(),
                                     model.accepted() ? "accepted" : absl::StrCat("REJECTED: ", model.why_rejected()));
  if (model.score().points() > 0) {
    absl::StrAppendFormat(&text, "; leave-one-out error of %u batches: %.1f %% (median), %.1f %% (worst) (%s)",
                          model.score().points(), kPercent.scale * model.score().median_error(),
                          kPercent.scale * model.score().worst_error(), model.score().worst_point());
  }
  for (const proto::StepTimePoint& point : model.point()) {
    absl::StrAppend(&text, point.batch() == model.point(0).batch() ? "\n    ms per step:" : ";", " ", point.batch(),
                    ": ", ShortText(point.step_seconds(), kMilliseconds));
  }
  return text + "\n";
}

std::string LawText(const proto::ScalingLawFit& law) {
  std::string text =
      absl::StrFormat("    %-10s %-12s %2u points, %d degrees of freedom", law.law(),
                      law.batch_per_device() > 0 ? absl::StrCat("batch ", law.batch_per_device()) : "all batches",
                      law.points(), law.degrees_of_freedom());
  if (law.score().points() > 0) {
    absl::StrAppendFormat(&text, "; leave-one-out error: %.1f %% (median), %.1f %% (worst)",
                          kPercent.scale * law.score().median_error(), kPercent.scale * law.score().worst_error());
  }
  for (const proto::NamedQuantity& parameter : law.parameter()) {
    if (!absl::StartsWith(parameter.name(), "images/s")) {
      absl::StrAppend(&text, "; ", parameter.name(), " ", ShortText(parameter.quantity(), kNoUnit));
    }
  }
  return absl::StrCat(text,
                      law.peak_devices().has_value()
                          ? absl::StrCat("; most throughput at N = ", ShortText(law.peak_devices(), kNoUnit))
                          : "",
                      "\n");
}

// Laws that were refused are only counted; the record holds them with their reasons.
std::string LawsText(const std::vector<proto::CommModelRecord>& records) {
  std::string text, source;
  size_t refused = 0;
  for (const proto::CommModelRecord& record : records) {
    const proto::ScalingLawFit& law = record.law();
    if (!record.has_law() || !law.refused().empty()) {
      refused += record.has_law();
      continue;
    }
    if (law.source() != source) {
      source = law.source();
      absl::StrAppend(&text, "  ", source, "\n");
    }
    text += LawText(law);
  }
  if (refused > 0) {
    absl::StrAppend(&text, "  ", refused,
                    " more with as many parameters as points, or too few points: not extrapolated\n");
  }
  return text.empty() ? text : absl::StrCat("\nLaws of scaling\n", text);
}

// Returns "  2 hosts, hierarchical" or "  one host" for a row of --what_if, and an empty text for other predictions.
std::string HostsText(const proto::Prediction& p) {
  return p.hosts() > 1 ? absl::StrCat("  ", p.hosts(), " hosts, ", p.exchange()) : p.hosts() == 1 ? "  one host" : "";
}

std::string PredictionText(const proto::Prediction& p) {
  std::string text =
      absl::StrFormat("  %4u %6u %28s %10s", p.ranks(), p.batch_per_device(), ShortText(p.epoch_seconds(), kSeconds),
                      ShortText(p.null_epoch_seconds(), kSeconds));
  if (p.measured_epoch_seconds().has_value()) {
    absl::StrAppendFormat(&text, " %10.4g", p.measured_epoch_seconds().value());
    if (p.has_relative_error()) {
      absl::StrAppendFormat(&text, " %+7.2f %%", kPercent.scale * p.relative_error());
    }
    if (p.has_null_relative_error()) {
      absl::StrAppendFormat(&text, " (T_1/N: %+.2f %%)", kPercent.scale * p.null_relative_error());
    }
    absl::StrAppend(&text, p.inside_interval()       ? ""
                           : p.has_inside_interval() ? "  OUTSIDE its interval"
                           : p.has_relative_error()  ? "  has no interval"
                                                     : "");
    absl::StrAppend(&text, p.made_before_run() ? "  made before the run" : "");
  }
  return absl::StrCat(text, HostsText(p), p.refused().empty() ? "" : absl::StrCat("  no prediction: ", p.refused()),
                      "\n");
}

// Summarizes the errors of the predictions that have been compared with a run; empty if there are none.
std::string PredictionScore(const std::vector<proto::CommModelRecord>& records) {
  std::vector<double> errors;
  size_t inside = 0;
  for (const proto::CommModelRecord& record : records) {
    if (record.has_prediction() && record.prediction().has_relative_error()) {
      errors.push_back(std::abs(record.prediction().relative_error()));
      inside += record.prediction().inside_interval();
    }
  }
  if (errors.empty()) {
    return "";
  }
  return absl::StrFormat("  error of %u runs: %.2f %% (median), %.2f %% (worst); %u inside their intervals\n",
                         errors.size(), kPercent.scale * Median(errors),
                         kPercent.scale * *std::max_element(errors.begin(), errors.end()), inside);
}

std::string PredictionsText(const std::vector<proto::CommModelRecord>& records) {
  std::string text, source;
  for (const proto::CommModelRecord& record : records) {
    if (!record.has_prediction()) {
      continue;
    }
    if (record.prediction().source() != source) {
      source = record.prediction().source();
      absl::StrAppend(&text, "  from ", source, "\n");
    }
    text += PredictionText(record.prediction());
  }
  return text.empty()
             ? text
             : absl::StrCat(
                   "\nPredictions (modelled)\n",
                   absl::StrFormat("  %4s %6s %28s %10s %10s\n", "N", "batch", "epoch s", "T_1/N s", "measured"), text);
}

// Returns one section: its heading, then one line per record of the kind.
template <typename Has, typename Text>
std::string Section(const std::vector<proto::CommModelRecord>& records, const std::string& heading, Has has,
                    Text line) {
  std::string text;
  for (const proto::CommModelRecord& record : records) {
    if ((record.*has)()) {
      text += line(record);
    }
  }
  return text.empty() ? text : absl::StrCat("\n", heading, "\n", text);
}

}  // namespace

std::string ModelsText(const std::vector<proto::CommModelRecord>& records) {
  using Record = proto::CommModelRecord;
  return absl::StrCat(Section(records, "All-reduce, seconds = alpha + beta * bytes", &Record::has_all_reduce_fit,
                              [](const Record& record) { return FitText(record.all_reduce_fit()); }),
                      Section(records, "Step times of one device", &Record::has_step_time,
                              [](const Record& record) { return StepTimeText(record.step_time()); }),
                      LawsText(records), PredictionsText(records), PredictionScore(records), WhatIfText(records));
}

}  // namespace lockstep
