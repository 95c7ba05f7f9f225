#include "lib/published/number_labels.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/published/label_words.h"
#include "lib/published/published_check.h"
#include "lib/published/quantity_unit.h"

namespace lockstep {
namespace {

constexpr proto::PublishedQuantity kNotStated = proto::PUBLISHED_QUANTITY_UNSPECIFIED;

// Returns the time of an epoch or iteration that a line above the table or a remark states; else `quantity`.
proto::PublishedQuantity TimeOfPart(const NumberLabels& labels, proto::PublishedQuantity quantity) {
  const auto found = std::find_if(labels.begin() + 2, labels.end(), [](const TableLabel* label) {
    return label->quantity == proto::EPOCH_SECONDS || label->quantity == proto::STEP_SECONDS ||
           label->quantity == proto::ITERATION_SECONDS;
  });
  return found == labels.end() ? quantity : (*found)->quantity;
}

}  // namespace

std::string TakeTableName(absl::string_view& title) {
  constexpr absl::string_view kTable = "table ";
  if (!absl::StartsWithIgnoreCase(title, kTable)) {
    return "";
  }
  const absl::string_view number =
      title.substr(kTable.size(), title.find_first_of(":., ", kTable.size()) - kTable.size());
  if (number.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(number[0]))) {
    return "";
  }
  title.remove_prefix(kTable.size() + number.size());
  return absl::StrCat("Table ", number);
}

absl::StatusOr<proto::PublishedQuantity> QuantityOf(const TableLabel& own, const NumberLabels& labels) {
  proto::PublishedQuantity quantity = own.quantity;
  for (size_t i = 2; i < labels.size() && quantity == kNotStated; ++i) {
    quantity = labels[i]->quantity;
  }
  if (quantity == kNotStated) {
    return absl::InvalidArgumentError(
        "the quantity is not stated; write it into the name of the column or row, or add `# quantity: epoch time` "
        "above the table; a column of times is 'epoch time (s)', 'run time (s)' or 'iteration time (s)'");
  }
  if (quantity == proto::RUN_SECONDS) {
    quantity = TimeOfPart(labels, quantity);
  }
  if (own.is_ideal && IdealOf(quantity) == kNotStated) {
    return absl::InvalidArgumentError(
        absl::StrCat("an ideal ", absl::AsciiStrToLower(proto::PublishedQuantity_Name(quantity)),
                     " is no known quantity; known: ideal throughput, ideal speed-up, ideal epoch time"));
  }
  return own.is_ideal ? IdealOf(quantity) : quantity;
}

std::string UnitOfNumber(const TableCell& cell, const TableLabel& own, const NumberLabels& labels,
                         proto::PublishedQuantity quantity) {
  if (!cell.unit.empty() || !own.unit.empty()) {
    return cell.unit.empty() ? own.unit : cell.unit;
  }
  for (size_t i = 2; i < labels.size(); ++i) {
    if (IsUnitOf(labels[i]->unit, quantity)) {
      return labels[i]->unit;
    }
  }
  return "";
}

void SetPlace(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value) {
  uint32_t devices = own.devices, base_devices = own.base_devices;
  uint64_t batch = own.batch;
  for (size_t i = 2; i < labels.size(); ++i) {
    devices = devices == 0 ? labels[i]->devices : devices;
    base_devices = base_devices == 0 ? labels[i]->base_devices : base_devices;
    batch = batch == 0 ? labels[i]->batch : batch;
  }
  if (devices != 0) {
    value.set_devices(devices);
  }
  if (batch != 0) {
    value.set_batch(batch);
  }
  if (base_devices > 1) {  // 0 is one device
    value.set_base_devices(base_devices);
  }
}

uint64_t OnlyBatch(const std::vector<const TableLabel*>& labels) {
  uint64_t only = 0;
  for (const TableLabel* label : labels) {
    if (only != 0 && label->batch != 0 && label->batch != only) {
      return 0;
    }
    only = label->batch != 0 ? label->batch : only;
  }
  return only;
}

void SetOnlyBatch(const OnlyBatches& batches, const NumberLabels& labels, proto::PublishedValue& value) {
  const uint64_t batch = labels[0]->quantity != kNotStated   ? batches.columns
                         : labels[1]->quantity != kNotStated ? batches.rows
                                                             : 0;
  if (value.batch() == 0 && batch != 0) {
    value.set_batch(batch);
  }
}

void SetContext(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value) {
  std::string statistic = own.rank_statistic;
  for (size_t i = 2; i < labels.size() && statistic.empty(); ++i) {
    statistic = labels[i]->rank_statistic;
  }
  for (const std::string& part : {own.context, statistic}) {
    if (!part.empty()) {
      value.set_context(absl::StrCat(value.context(), value.context().empty() ? "" : ", ", part));
    }
  }
}

absl::Status CheckPlace(proto::PublishedValue value) {
  if (CheckPublishedValue(value).ok()) {
    return absl::OkStatus();
  }
  if (value.devices() == 0) {
    return absl::InvalidArgumentError(
        "the number of devices is not stated; write '4 GPUs' as the name of the row or column, or add `# devices: 1` "
        "above the table");
  }
  if (value.batch() == 0) {
    return absl::InvalidArgumentError(
        "the batch is not stated; write 'batch 128' as the name of the row or column, or add `# batch: 128` above "
        "the "
        "table");
  }
  return CheckPublishedValue(value);
}

}  // namespace lockstep
