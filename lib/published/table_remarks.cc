#include "lib/published/table_remarks.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/published/document_key.h"
#include "lib/published/field_text.h"
#include "lib/published/label_words.h"
#include "lib/published/quantity_unit.h"
#include "lib/published/remark_key.h"

namespace lockstep {
namespace {

// Returns the quantity with this name in published.proto.
proto::PublishedQuantity NamedInSchema(absl::string_view text) {
  proto::PublishedValue value;
  return SetFieldFromText("quantity", text, value).ok() ? value.quantity() : proto::PUBLISHED_QUANTITY_UNSPECIFIED;
}

}  // namespace

absl::Status TableRemarks::Read(const TableRemark& remark, proto::PublishedTables& tables) {
  constexpr absl::string_view kFieldsOfValue[] = {"context",  "base_devices", "base_batch",
                                                  "read_off", "devices",      "batch"};
  const std::string& key = remark.key;
  const bool is_word = key == "batch" && !remark.value.empty() && absl::ascii_isalpha(remark.value[0]);
  if (std::find(std::begin(kTableKeys), std::end(kTableKeys), key) == std::end(kTableKeys) || is_word) {
    return SetDocumentKey(key, remark.value, seen_, tables);
  }
  if (std::find(std::begin(kFieldsOfValue), std::end(kFieldsOfValue), key) != std::end(kFieldsOfValue)) {
    return SetFieldFromText(key, remark.value, value_);
  }
  if (key == "table") {
    table_name_ = remark.value;
    return absl::OkStatus();
  }
  if (key == "rows" || key == "columns") {
    return ReadAxis(remark);
  }
  if (key == "unit") {
    label_.unit = UnitMeantBy(remark.value).unit;
    return !label_.unit.empty() ? absl::OkStatus()
                                : absl::InvalidArgumentError("expected a unit such as s, ms, %, GB/s or images/s");
  }
  return ReadQuantity(remark.value);
}

absl::Status TableRemarks::ReadAxis(const TableRemark& remark) {
  const TableAxis axis = AxisMeantBy(absl::AsciiStrToLower(remark.value));
  (remark.key == "rows" ? axes_.rows : axes_.columns) = axis;
  return axis != TableAxis::kNone
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("expected ", remark.key, ": devices or batch"));
}

absl::Status TableRemarks::ReadQuantity(const std::string& text) {
  TableLabel label = ParseTableLabel(text);
  if (label.quantity == proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
    label.quantity = NamedInSchema(text);
  }
  if (label.is_ideal) {
    label.quantity = IdealOf(label.quantity);
  }
  if (label.quantity == proto::PUBLISHED_QUANTITY_UNSPECIFIED || !label.unknown.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown quantity; known: ", KnownQuantityWords()));
  }
  if (label.unit.empty() && IsUnitOf(label_.unit, label.quantity)) {
    label.unit = label_.unit;  // `# unit` stands above `# quantity`
  }
  label_.quantity = label.quantity;
  label_.unit = label.unit;
  return absl::OkStatus();
}

}  // namespace lockstep
