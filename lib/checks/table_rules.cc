#include "lib/checks/table_rules.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/audit/audit.h"
#include "lib/audit/flags.h"
#include "lib/published/printed_value.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr std::pair<const char*, const char*> kRuleOfFlag[] = {
    {kCountsNTwice, "n_counted_twice"},
    {kBaseIsNotOneDevice, "speedup_formula"},
    {kInvertedSpeedup, "speedup_formula"},
    {kEfficiencyCalledSpeedup, "speedup_formula"},
    {kEfficiencyNotDividedByN, "speedup_formula"},
    {kRatioCalledPercent, "speedup_formula"},
    {kMixedLoading, "loading_mixed"},
    {kLoaderWorkersDiffer, "loading_mixed"},
    {kComputeNotDividedByN, "base_not_divided_by_n"},
    {kComputeIsWholeTime, "communication_in_compute"},
    {kComputationHoldsCommunication, "communication_in_compute"},
    {kIterationsForgotten, "bandwidth_not_derivable"},
    {kIterationsNotDividedByN, "bandwidth_not_derivable"},
    {kTotalBatchTakenPerDevice, "bandwidth_not_derivable"},
    {kElementsNotBytes, "bandwidth_not_derivable"},
    {kBitsNotBytes, "bandwidth_not_derivable"},
    {kAllReduceFactorMissing, "bandwidth_not_derivable"},
    {kBatchCountedAsBytes, "bandwidth_not_derivable"},
    {kNotDividedByTime, "bandwidth_not_derivable"},
    {kOtherParameterCount, "wrong_model_size"},
    {kNotTheTrainedModel, "wrong_model_size"},
    {kGibAsGb, "gib_as_gb"},
    {kTextClaimsGibPrintsGb, "gib_as_gb"},
    {kOfOtherColumn, "number_of_another_place"},
    {kOfOtherDevices, "number_of_another_place"},
    {kTruncatedDigits, "digits_lost"},
    {kRoundedIntermediates, "digits_lost"},
    {kInconsistentPrinting, "digits_lost"},
    {kDiffersFromItsTable, "number_not_reproducible"},
    {kLostDigit, "number_not_reproducible"},
    {kNegativeCommunication, "negative_communication"},
    {kPartsDoNotSum, "parts_do_not_sum"},
    {kTwoValuesOfOneQuantity, "two_values_of_one_quantity"},
    {kLoadingFasterThanWithout, "with_loading_faster_than_without"},
    {kClocks, "flops_above_peak"},
    {kWholeSecondClock, "whole_second_clock"},
    {kBatchBeyondTheData, "batch_beyond_the_data"},
    {kBatchNotAsLabelled, "scaling_mislabelled"},
    {kNoOneDeviceTime, "no_one_device_time"},
    {kOverPeakWithIterations, "link_peak_assumed"},
};

// Findings with one entry for each rule and place: the first number's text, and the texts of the others.
class FindingList {
 public:
  void Add(const std::string& rule, const std::string& where, const std::string& text) {
    const auto [place, is_new] = index_.try_emplace({rule, where}, findings_.size());
    if (is_new) {
      findings_.push_back({rule, where, text});
    } else {
      findings_[place->second].others.push_back(text);
    }
  }

  std::vector<CheckFinding> Take() { return std::move(findings_); }

 private:
  std::vector<CheckFinding> findings_;
  std::map<std::pair<std::string, std::string>, size_t> index_;
};

bool IsTraffic(proto::PublishedQuantity quantity) {
  return quantity == proto::BANDWIDTH_GIGABYTES_PER_SECOND || quantity == proto::UTILIZATION_PERCENT ||
         quantity == proto::TRAFFIC_ELEMENTS || quantity == proto::TRAFFIC_GIGABYTES;
}

std::string PlaceText(const proto::PublishedValue& value) {
  return absl::StrCat(absl::AsciiStrToLower(proto::PublishedQuantity_Name(value.quantity())),
                      value.devices() > 0 ? absl::StrCat(", ", CountOf(value.devices(), "device")) : "",
                      value.batch() > 0 ? absl::StrCat(", batch ", value.batch()) : "", ": ", PrintedText(value));
}

// Adds the findings on one number. Returns true if one of its rules fails.
bool AddAudited(const std::string& where, const proto::AuditedValue& audited, FindingList& list) {
  bool fails = false;
  const auto add = [&](const std::string& rule, const std::string& text) {
    list.Add(rule, where, text);
    fails = fails || FindCheckRule(rule)->fails;
  };
  const std::string text =
      absl::StrCat(PlaceText(audited.published()), audited.sentence().empty() ? "." : ": ", audited.sentence());
  for (const std::string& flag : audited.flag()) {
    for (const auto& [name, rule] : kRuleOfFlag) {
      if (flag == name) {
        add(rule, text);
      }
    }
  }
  if (audited.finding() == proto::NOT_REPRODUCIBLE) {
    add(IsTraffic(audited.published().quantity()) ? "bandwidth_not_derivable" : "number_not_reproducible", text);
  }
  return fails;
}

// Returns true if the text says that a number was not measured.
bool MentionsEstimate(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  for (const char* word : {"estimat", "simulat", "projected", "predicted", "modelled", "modeled", "assumed"}) {
    if (absl::StrContains(lower, word)) {
      return true;
    }
  }
  return false;
}

// Flags estimates in a table that has other numbers of the same kind.
void CheckEstimates(const std::string& where, const proto::PublishedTable& table, FindingList& list) {
  std::vector<const proto::PublishedValue*> estimates;
  std::map<proto::PublishedQuantity, const proto::PublishedValue*> measured;  // first number of each kind
  for (const proto::PublishedValue& value : table.value()) {
    if (MentionsEstimate(value.context()) || MentionsEstimate(value.note())) {
      estimates.push_back(&value);
    } else {
      measured.emplace(value.quantity(), &value);
    }
  }
  for (const proto::PublishedValue* value : estimates) {
    if (const auto other = measured.find(value->quantity()); other != measured.end()) {
      list.Add("estimates_among_measurements", where,
               absl::StrCat(PlaceText(*value), " is called '", value->context(), value->note(), "', and ",
                            PrintedText(*other->second), " next to it is not."));
    }
  }
}

// Flags wrong names of scaling: with a fixed batch per device, steps scale weakly and epochs strongly.
void CheckScalingName(const std::string& name, const proto::PublishedTables& tables, FindingList& list) {
  const std::string& claimed = tables.claims().scaling();
  const std::string& batch = tables.facts().batch().empty() ? tables.claims().batch() : tables.facts().batch();
  if (claimed == "strong" && batch == "per_device") {
    list.Add("scaling_mislabelled", name,
             "'strong', with a fixed batch per device: 4 devices do 4 times the work of a step. Only the epoch is "
             "strong.");
  } else if (claimed == "weak" && batch == "total") {
    list.Add("scaling_mislabelled", name, "'weak', with a fixed total batch: the work of a step does not grow.");
  }
}

// First number of each kind, number of devices and batch: of an epoch, not of a log's line, and not restated.
using FirstNumbers = std::map<std::tuple<proto::PublishedQuantity, uint32_t, uint64_t>, const proto::PublishedValue*>;

FirstNumbers FirstNumbersOf(const proto::PublishedTables& tables) {
  FirstNumbers first;
  for (const proto::PublishedTable& table : tables.table()) {
    for (const proto::PublishedValue& value : table.value()) {
      if (value.epoch() == 0 && !value.restated()) {
        first.emplace(std::make_tuple(value.quantity(), value.devices(), value.batch()), &value);
      }
    }
  }
  return first;
}

std::optional<PrintedNumber> TimeAt(const FirstNumbers& numbers, proto::PublishedQuantity quantity, uint32_t devices,
                                    uint64_t batch) {
  const auto found = numbers.find({quantity, devices, batch});
  if (found == numbers.end()) {
    return std::nullopt;
  }
  const auto printed = PrintedNumberOf(*found->second);
  return printed.ok() ? std::optional<PrintedNumber>(*printed) : std::nullopt;
}

// Returns true if the number is T_N - T_1/N of times of this kind, as far as the printed digits show.
bool IsDifference(const FirstNumbers& numbers, proto::PublishedQuantity quantity, const proto::PublishedValue& value,
                  const PrintedNumber& printed) {
  const auto t_1 = TimeAt(numbers, quantity, 1, value.batch());
  const auto t_n = TimeAt(numbers, quantity, value.devices(), value.batch());
  if (!t_1.has_value() || !t_n.has_value() || value.devices() < 2) {
    return false;
  }
  const double difference = t_n->value - t_1->value / value.devices();
  const double rounding = 0.5 * (printed.unit + t_n->unit + t_1->unit / value.devices());
  return std::abs(difference - printed.value) <= rounding * (1 + 1e-9);
}

// Returns true if the number breaks the rule, which fails.
bool AddLoadingInSplit(const std::string& where, const FirstNumbers& numbers, const proto::PublishedValue& value,
                       FindingList& list) {
  const auto printed = PrintedNumberOf(value);
  if (value.quantity() != proto::COMMUNICATION_SECONDS || !printed.ok() ||
      !IsDifference(numbers, proto::EPOCH_SECONDS, value, *printed) ||
      IsDifference(numbers, proto::STEP_SECONDS, value, *printed)) {
    return false;
  }
  list.Add("loading_counted_as_communication", where,
           absl::StrCat(PlaceText(value), " is T_N - T_1/N of epochs with data loading."));
  return true;
}

void AddSpeedupAboveDevices(const std::string& where, const proto::PublishedValue& value, FindingList& list) {
  if (IsSpeedupAboveDevices(value)) {
    list.Add("speedup_above_ranks", where,
             absl::StrCat(PlaceText(value), " is above ",
                          value.quantity() == proto::SPEEDUP ? absl::StrCat(value.devices()) : "100 %",
                          " by more than its rounding: superlinear, because of a cache or a slow base, or a slip."));
  }
}

}  // namespace

bool IsSpeedupAboveDevices(const proto::PublishedValue& value) {
  const auto printed = PrintedNumberOf(value);
  const bool is_plain = value.devices() > 1 && value.base_devices() <= 1 && !value.restated() &&
                        (value.base_batch() == 0 || value.base_batch() == value.batch());
  if (!is_plain || !printed.ok()) {
    return false;
  }
  const double smallest = printed->value - printed->unit / 2;
  return (value.quantity() == proto::SPEEDUP && smallest > value.devices()) ||
         (value.quantity() == proto::EFFICIENCY_PERCENT && smallest > 100);
}

absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables) {
  AuditBudget budget;
  std::vector<proto::PublishedValue> refuted;
  return CheckTables(name, tables, budget, refuted);
}

absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables,
                                                      AuditBudget& budget,
                                                      std::vector<proto::PublishedValue>& refuted) {
  FindingList list;
  CheckScalingName(name, tables, list);
  const absl::StatusOr<std::vector<proto::AuditTable>> audit = Audit(tables, budget);
  if (!audit.ok()) {
    return absl::Status(audit.status().code(), absl::StrCat(name, ": ", audit.status().message()));
  }
  const std::vector<proto::AuditTable>& audited = *audit;
  const FirstNumbers numbers = FirstNumbersOf(tables);
  for (int i = 0; i < tables.table_size(); ++i) {
    const std::string where = absl::StrCat(name, ", ", tables.table(i).name());
    for (const proto::AuditedValue& value : audited[i].value()) {
      const bool is_audit_broken = AddAudited(where, value, list);
      if (AddLoadingInSplit(where, numbers, value.published(), list) || is_audit_broken) {
        refuted.push_back(value.published());
      }
      AddSpeedupAboveDevices(where, value.published(), list);
    }
    CheckEstimates(where, tables.table(i), list);
  }
  return list.Take();
}

}  // namespace lockstep
