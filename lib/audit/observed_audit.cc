#include "lib/audit/observed_audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/audit/audit_summary.h"
#include "lib/audit/column_batch.h"
#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/audit/measured_parts.h"
#include "lib/audit/phase_rows.h"
#include "lib/audit/plausibility.h"
#include "lib/audit/quantity_kinds.h"
#include "lib/audit/repeated.h"
#include "lib/audit/restated.h"
#include "lib/audit/verdict.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

DeclaredBase BaseOf(const proto::PublishedValue& value) {
  return {std::max<uint32_t>(value.base_devices(), 1), value.base_batch()};
}

// Numbers of one table that have the same quantity and base case and, in a table of rates, for some quantities
// (IsJudgedByLabel) and for quotients of two columns of times, the same context. In a table of batches, speed-ups and
// efficiencies that name no batch are a column of their own.
struct Column {
  std::vector<Cell*> cells;
  std::vector<proto::AuditedValue*> audited;
};

struct ColumnKey {
  int table = 0;
  DeclaredBase base;
  std::string context;
  bool needs_batch = false;  // true: the numbers name no batch, and have one of the table's batches

  bool operator<(const ColumnKey& other) const {
    return std::tie(table, base, context, needs_batch) <
           std::tie(other.table, other.base, other.context, other.needs_batch);
  }
};

bool HasRates(const Document& document, int table) {
  const Sources rates = RateSources(document, table);
  return !rates.empty() && rates[0].get().table == table;
}

// Properties of a table that decide which of its numbers are judged together.
struct TableTraits {
  bool has_rates = false;
  bool has_batches = false;
  std::set<std::string> time_labels;  // contexts of its times of an epoch, iteration or run
};

std::vector<TableTraits> TraitsOf(const Document& document) {
  std::vector<TableTraits> traits(document.tables().table_size());
  for (int table = 0; table < document.tables().table_size(); ++table) {
    traits[table].has_rates = HasRates(document, table);
    traits[table].has_batches = !BatchesOf(document, table).empty();
    for (const Cell* cell : document.CellsOf(table)) {
      const proto::PublishedQuantity quantity = cell->value->quantity();
      if (IsTotalTime(quantity) || quantity == proto::RUN_SECONDS) {
        traits[table].time_labels.insert(cell->value->context());
      }
    }
  }
  return traits;
}

// Returns true for a label such as "FP32 to mixed precision" in a table that prints times in several columns of other
// labels: the number compares two of them.
bool ComparesTimes(const TableTraits& table, const std::string& label) {
  return !label.empty() && table.time_labels.size() > 1 && table.time_labels.count(label) == 0;
}

std::map<ColumnKey, Column> ColumnsOf(Document& document, const std::vector<TableTraits>& traits,
                                      std::vector<proto::AuditedValue>& audited, proto::PublishedQuantity quantity) {
  std::map<ColumnKey, Column> columns;
  for (size_t i = 0; i < audited.size(); ++i) {
    Cell& cell = document.cells()[i];
    if (cell.value->quantity() == quantity && audited[i].finding() == proto::FINDING_UNSPECIFIED) {
      const bool has_labels = traits[cell.table].has_rates || IsJudgedByLabel(quantity) ||
                              (quantity == proto::SPEEDUP && ComparesTimes(traits[cell.table], cell.value->context()));
      const std::string context = has_labels ? cell.value->context() : "";
      const bool needs_batch = ComparesDevices(quantity) && cell.value->batch() == 0 && traits[cell.table].has_batches;
      Column& column = columns[{cell.table, BaseOf(*cell.value), context, needs_batch}];
      column.cells.push_back(&cell);
      column.audited.push_back(&audited[i]);
    }
  }
  return columns;
}

// Returns true if some convention computes the number from other numbers.
bool Applies(const std::vector<Convention>& conventions, const Cell& cell) {
  return std::any_of(conventions.begin(), conventions.end(), [&](const Convention& convention) {
    return convention.evaluate({cell.value->devices(), cell.value->batch()}).has_value();
  });
}

bool AnyApplies(const std::vector<Convention>& conventions, const Column& column) {
  return std::any_of(column.cells.begin(), column.cells.end(),
                     [&](const Cell* cell) { return Applies(conventions, *cell); });
}

void SetGiven(proto::AuditedValue& audited) {
  audited.set_finding(proto::GIVEN);
  audited.set_sentence("Read off, not computed.");
}

// Returns the value of a speed-up, or of a quantity derived from speed-ups, in its base case; nothing for other
// quantities.
std::optional<double> ValueOfBase(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::SPEEDUP:
    case proto::IDEAL_SPEEDUP:
    case proto::AMDAHL_SPEEDUP:
    case proto::GUSTAFSON_SPEEDUP:
    case proto::ENERGY_RATIO:
      return 1;
    case proto::SPEEDUP_PERCENT:
      return 0;
    case proto::EFFICIENCY_PERCENT:
      return 100;
    default:
      return std::nullopt;
  }
}

bool IsItsOwnBase(const proto::PublishedValue& value) {
  const DeclaredBase base = BaseOf(value);
  return value.devices() == base.devices && (base.batch == 0 || value.batch() == base.batch);
}

// Returns true for a time that nothing in the document gives: a time of an epoch that is not the sum of phases, a time
// of a line of a log, or a communication time that is itself a phase.
bool IsReadOffTime(const Document& document, const Cell& cell) {
  const proto::PublishedQuantity quantity = cell.value->quantity();
  const bool may_be_quotient = quantity == proto::ITERATION_SECONDS && cell.value->epoch() == 0;
  return (IsTotalTime(quantity) && !may_be_quotient && !IsSumOfPhases(document, cell)) ||
         (quantity == proto::COMMUNICATION_SECONDS && IsNextToPhases(document, cell));
}

// Judges numbers that need no formula: read off, repeated, or the base case of a speed-up or an efficiency.
void JudgeSimple(const Document& document, Cell& cell, proto::AuditedValue& audited) {
  const proto::PublishedValue& value = *cell.value;
  if (value.restated()) {
    JudgeRestated(document, cell, audited);
  } else if (!IsComputed(value.quantity()) || value.read_off() || IsReadOffTime(document, cell)) {
    SetGiven(audited);
  } else if (IsItsOwnBase(value) && ValueOfBase(value.quantity()) == cell.printed.value) {
    audited.set_finding(proto::REPRODUCED);
    audited.set_sentence("The base case itself.");
    proto::Candidate& candidate = *audited.add_reproduced_by();
    candidate.set_convention("the base case itself");
    candidate.set_value(cell.printed.value);
    candidate.set_ratio(1);
  }
}

bool Follows(const proto::AuditedValue& value) {
  return value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
}

// Makes numbers given that follow from nothing, if they may have been measured or chosen (IsOftenGiven): if no
// convention applies to them, or if most numbers of their column follow from nothing and the document does not say that
// they are computed.
void GiveWhatNeedNotFollow(const Document& document, const std::vector<Convention>& conventions, Column& column) {
  const size_t follow = std::count_if(column.audited.begin(), column.audited.end(),
                                      [](const proto::AuditedValue* value) { return Follows(*value); });
  const bool column_follows = follow >= 2 && 2 * follow >= column.audited.size();
  for (size_t i = 0; i < column.cells.size(); ++i) {
    const Cell& cell = *column.cells[i];
    proto::AuditedValue& value = *column.audited[i];
    const bool is_stated =
        IsSumOfPhases(document, cell) ||
        (cell.value->quantity() == proto::LEARNING_RATE && !document.tables().claims().learning_rate_scaling().empty());
    if (!Follows(value) && ((!column_follows && !is_stated) || !Applies(conventions, cell))) {
      value.clear_nearest();
      value.clear_flag();
      SetGiven(value);
    }
  }
}

absl::Status Judge(const Document& document, proto::PublishedQuantity quantity, const ColumnKey& key, Column& column,
                   AuditBudget& budget, const ColumnObserver& observe) {
  RETURN_IF_ERROR(CheckNotStopped());
  const auto& [table, base, context, needs_batch] = key;
  std::vector<Convention> conventions = ConventionsFor(document, quantity, table, base, context);
  if (needs_batch) {
    AddBatches(document, table, column.cells, conventions);
  }
  const uint64_t recomputations = uint64_t{conventions.size()} * column.cells.size();
  if (recomputations > budget.recomputations) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected tables whose audit takes at most ", kMaxRecomputations,
                     " recomputations (a formula for a number), or "
                     "what other tables have left of them; they were used up at table '",
                     document.tables().table(table).name(), "', by ", document.tables().table_size(), " tables of ",
                     document.cells().size(), " numbers; audit a part of the tables at a time"));
  }
  budget.recomputations -= recomputations;
  if (MayBeMeasured(quantity) && !AnyApplies(conventions, column)) {
    std::for_each(column.audited.begin(), column.audited.end(), [](auto* value) { SetGiven(*value); });
  } else {
    JudgeColumn(conventions, column.cells, column.audited);
    if (IsOftenGiven(quantity)) {
      GiveWhatNeedNotFollow(document, conventions, column);
    }
    if (quantity == proto::COMPUTE_SECONDS || quantity == proto::COMMUNICATION_SECONDS) {
      GiveMeasuredParts(document, conventions, column.cells, column.audited);
    }
  }
  if (observe != nullptr) {
    observe({document, conventions, column.cells});
  }
  for (proto::AuditedValue* value : column.audited) {
    const std::optional<double> of_base = ValueOfBase(quantity);
    if (of_base.has_value() && IsItsOwnBase(value->published()) && value->finding() == proto::NOT_REPRODUCIBLE &&
        !value->has_nearest()) {
      value->set_sentence(absl::StrCat("It is its own base case, for which it would be ", *of_base, "."));
    }
  }
  return CheckNotStopped();
}

}  // namespace

absl::StatusOr<std::vector<proto::AuditTable>> AuditObserved(const proto::PublishedTables& tables, AuditBudget& budget,
                                                             const ColumnObserver& observe) {
  Document document(tables);
  std::vector<proto::AuditedValue> audited(document.cells().size());
  for (size_t i = 0; i < audited.size(); ++i) {
    *audited[i].mutable_published() = *document.cells()[i].value;
    JudgeSimple(document, document.cells()[i], audited[i]);
  }
  const std::vector<TableTraits> traits = TraitsOf(document);
  for (const proto::PublishedQuantity quantity : kComputedQuantities) {
    for (auto& [key, column] : ColumnsOf(document, traits, audited, quantity)) {
      RETURN_IF_ERROR(Judge(document, quantity, key, column, budget, observe));
    }
    FollowRepetitions(quantity, document, audited);
  }
  RETURN_IF_ERROR(RemarkOnPlausibility(document, audited));

  std::vector<proto::AuditTable> result;
  for (const proto::PublishedTable& table : tables.table()) {
    result.emplace_back().set_source(tables.source());
    result.back().set_table(table.name());
    *result.back().mutable_left_out() = table.left_out();
  }
  for (size_t i = 0; i < audited.size(); ++i) {
    *result[document.cells()[i].table].add_value() = std::move(audited[i]);
  }
  for (proto::AuditTable& table : result) {
    *table.mutable_summary() = Summarize(table);
  }
  return result;
}

}  // namespace lockstep
