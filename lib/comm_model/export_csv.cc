// Exports the records as lines of CSV.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/csv_cell.h"
#include "lib/comm_model/export.h"
#include "lib/published/printed_value.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {
namespace {

constexpr char kHeading[] =
    "record,source,variant,devices,batch_per_device,quantity,value,low,high,provenance,method\n";

// Prints as many digits as identify a double.
std::string Number(double value) { return absl::StrFormat("%.17g", value); }

std::string ProvenanceName(proto::Provenance provenance) {
  switch (provenance) {
    case proto::MEASURED:
      return "measured";
    case proto::DERIVED:
      return "derived";
    case proto::MODELLED:
      return "modelled";
    case proto::PUBLISHED:
      return "published";
    default:
      return "";
  }
}

// Columns that all lines of one record share.
struct Key {
  std::string record;
  std::string source;
  std::string variant;
  uint32_t devices = 0;  // 0: none
  uint64_t batch = 0;    // 0: none
};

std::string Line(const Key& key, const std::string& quantity, const std::string& value, const std::string& low,
                 const std::string& high, const std::string& provenance, const std::string& method) {
  return absl::StrCat(
      absl::StrJoin({CsvText(key.record), CsvText(key.source), CsvText(key.variant),
                     key.devices > 0 ? absl::StrCat(key.devices) : "", key.batch > 0 ? absl::StrCat(key.batch) : "",
                     CsvText(quantity), value, low, high, provenance, CsvText(method)},
                    ","),
      "\n");
}

std::string QuantityLine(const Key& key, const std::string& name, const proto::Quantity& quantity) {
  if (!quantity.has_value()) {
    return Line(key, name, "", "", "", "", quantity.absent_reason());
  }
  return Line(key, name, Number(quantity.value()), quantity.has_low() ? Number(quantity.low()) : "",
              quantity.has_high() ? Number(quantity.high()) : "", ProvenanceName(quantity.provenance()),
              quantity.method());
}

// Returns one line for each Quantity field of `message` that is set, under the field's name.
std::string QuantityLines(const Key& key, const google::protobuf::Message& message) {
  std::string lines;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (!field->is_repeated() && field->message_type() == proto::Quantity::descriptor()) {
      lines += QuantityLine(key, field->name(),
                            static_cast<const proto::Quantity&>(message.GetReflection()->GetMessage(message, field)));
    }
  }
  return lines;
}

std::string PredictionLines(const proto::Prediction& prediction) {
  const Key key = {"prediction", prediction.source(), prediction.exchange(), prediction.ranks(),
                   prediction.batch_per_device()};
  std::string lines = QuantityLines(key, prediction);
  if (prediction.has_relative_error()) {
    lines +=
        Line(key, "relative_error", Number(prediction.relative_error()), "", "", "derived", "predicted / measured - 1");
  }
  if (prediction.has_null_relative_error()) {
    lines += Line(key, "null_relative_error", Number(prediction.null_relative_error()), "", "", "derived",
                  "T_1/N / measured - 1");
  }
  return lines;
}

std::string FitLines(const proto::AllReduceFit& fit) {
  std::string lines;
  for (const proto::LinkPiece& piece : fit.piece()) {
    const Key key = {"all_reduce_fit", fit.source(),
                     absl::StrCat(piece.from_bytes(), " to ", piece.to_bytes(), " bytes"), fit.ranks(), 0};
    lines += QuantityLines(key, piece);
  }
  for (const proto::AllReduceFitPoint& point : fit.point()) {
    const Key key = {"all_reduce_fit", fit.source(), absl::StrCat(point.size_bytes(), " bytes"), fit.ranks(), 0};
    lines += Line(key, "seconds", Number(point.seconds()), "", "", "measured", "mean");
    if (point.has_left_out_seconds()) {
      lines += Line(key, "left_out_seconds", Number(point.left_out_seconds()), "", "", "modelled", "without this size");
    }
    if (point.nccl_model_seconds() > 0) {
      lines += Line(key, "nccl_model_seconds", Number(point.nccl_model_seconds()), "", "", "modelled",
                    "NCCL's static model");
    }
  }
  return lines;
}

std::string StepTimeLines(const proto::StepTimeModel& model) {
  std::string lines;
  for (const proto::StepTimePoint& point : model.point()) {
    const Key key = {"step_time", model.source(), "", 1, point.batch()};
    lines += QuantityLines(key, point);
    if (point.has_left_out_step_seconds()) {
      lines += Line(key, "left_out_step_seconds", Number(point.left_out_step_seconds()), "", "", "modelled",
                    "by the neighbouring batches");
    }
  }
  return lines;
}

std::string LawLines(const proto::ScalingLawFit& law) {
  const Key key = {"law", law.source(), law.law(), 0, law.batch_per_device()};
  std::string lines;
  for (const proto::NamedQuantity& parameter : law.parameter()) {
    lines += QuantityLine(key, parameter.name(), parameter.quantity());
  }
  return lines + QuantityLines(key, law);
}

std::string AuditLines(const proto::AuditTable& table) {
  std::string lines;
  for (const proto::AuditedValue& value : table.value()) {
    const proto::PublishedValue& published = value.published();
    lines += Line({"audit", table.source(), table.table(), published.devices(), published.batch()},
                  proto::PublishedQuantity_Name(published.quantity()), CsvText(PrintedText(published)), "", "",
                  "published", absl::StrCat(proto::Finding_Name(value.finding()), ": ", value.sentence()));
  }
  return lines;
}

template <typename Row>
Key RowKey(const char* record, const Row& row) {
  return {record, "", row.has_settings() ? SettingsText(row.settings()) : "", row.ranks(), row.batch_per_device()};
}

// The variant names the exchange if there may be rows of two.
Key WhatIfKey(const proto::WhatIfRow& row) {
  const std::string variant =
      row.hosts() > 1 && !row.exchange().empty() ? absl::StrCat(row.variant(), ", ", row.exchange()) : row.variant();
  return {"what_if", "", variant, row.devices(), row.batch_per_device()};
}

std::string Lines(const proto::CommModelRecord& record) {
  switch (record.kind_case()) {
    case proto::CommModelRecord::kScaling:
      return QuantityLines(RowKey("scaling", record.scaling()), record.scaling());
    case proto::CommModelRecord::kStar:
      return QuantityLines(RowKey("star", record.star()), record.star());
    case proto::CommModelRecord::kPublishedTime:
      return QuantityLines({"published_time", record.published_time().source(), "", record.published_time().ranks(),
                            record.published_time().batch_per_device()},
                           record.published_time());
    case proto::CommModelRecord::kAllReduceFit:
      return FitLines(record.all_reduce_fit());
    case proto::CommModelRecord::kStepTime:
      return StepTimeLines(record.step_time());
    case proto::CommModelRecord::kLaw:
      return LawLines(record.law());
    case proto::CommModelRecord::kPrediction:
      return PredictionLines(record.prediction());
    case proto::CommModelRecord::kWhatIf:
      return QuantityLines(WhatIfKey(record.what_if()), record.what_if());
    case proto::CommModelRecord::kAudit:
      return AuditLines(record.audit());
    default:
      return "";
  }
}

}  // namespace

std::string ExportCsv(const std::vector<proto::CommModelRecord>& records) {
  std::string text = kHeading;
  for (const proto::CommModelRecord& record : records) {
    text += Lines(record);
  }
  return text;
}

}  // namespace lockstep
