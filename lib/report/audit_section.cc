#include "lib/report/audit_section.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/cell.h"

namespace lockstep {
namespace {

uint64_t CountOf(const proto::AuditTable& audit, proto::Finding finding) {
  return static_cast<uint64_t>(std::count_if(audit.value().begin(), audit.value().end(),
                                             [&](const proto::AuditedValue& v) { return v.finding() == finding; }));
}

std::string FlagsOf(const proto::AuditTable& audit) {
  std::vector<std::string> flags;
  for (const proto::AuditedValue& value : audit.value()) {
    for (const std::string& flag : value.flag()) {
      if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
        flags.push_back(flag);
      }
    }
  }
  return flags.empty() ? "none" : absl::StrJoin(flags, ", ");
}

proto::Table SummaryTable(const CommModelRecords& file) {
  proto::Table table = MakeTable(absl::StrCat("Published tables, recomputed (", file.name(), ")"),
                                 {"document", "table", "numbers", "given", "reproduced", "by several conventions",
                                  "not reproducible", "flags"});
  for (const proto::AuditTable& audit : file.audits) {
    const auto count = [&](proto::Finding finding) { return CountCell(CountOf(audit, finding), proto::DERIVED, ""); };
    AddRow(table, {LabelCell(audit.source()), LabelCell(audit.table()),
                   CountCell(static_cast<uint64_t>(audit.value_size()), proto::DERIVED, ""), count(proto::GIVEN),
                   count(proto::REPRODUCED), count(proto::AMBIGUOUS), count(proto::NOT_REPRODUCIBLE),
                   LabelCell(FlagsOf(audit))});
  }
  table.add_note("given: an input of the others, such as a time read off a clock; there is nothing to recompute it from.");
  return table;
}

// "2 devices, batch 32", "4 devices, batch 512, int8 weights only".
std::string WhereOf(const proto::PublishedValue& value) {
  std::vector<std::string> parts;
  if (value.devices() > 0) {
    parts.push_back(absl::StrCat(value.devices(), value.devices() == 1 ? " device" : " devices"));
  }
  if (value.batch() > 0) {
    parts.push_back(absl::StrCat("batch ", value.batch()));
  }
  if (!value.context().empty()) {
    parts.push_back(value.context());
  }
  return absl::StrJoin(parts, ", ");
}

// "speedup", "bandwidth gigabytes per second".
std::string QuantityName(proto::PublishedQuantity quantity) {
  std::string name = proto::PublishedQuantity_Name(quantity);
  for (char& c : name) {
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

proto::Cell RecomputedCell(const proto::AuditedValue& value) {
  if (!value.reproduced_by().empty()) {
    const proto::Candidate& first = value.reproduced_by(0);
    return NumberCell(first.value(), proto::DERIVED, first.convention(), 6);
  }
  return value.has_nearest() ? NumberCell(value.nearest().value(), proto::DERIVED, value.nearest().convention(), 6)
                             : AbsentCell("nothing in the document to compute it from");
}

proto::Table FindingsTable(const CommModelRecords& file) {
  proto::Table table = MakeTable(absl::StrCat("Numbers that were not reproduced, or only under a doubtful convention (",
                                              file.name(), ")"),
                                 {"document, table", "number", "where", "printed", "recomputed", "finding"});
  for (const proto::AuditTable& audit : file.audits) {
    for (const proto::AuditedValue& value : audit.value()) {
      if (value.finding() != proto::NOT_REPRODUCIBLE && value.flag().empty()) {
        continue;
      }
      proto::Cell printed = LabelCell(value.published().as_printed());
      printed.set_provenance(proto::PUBLISHED);
      AddRow(table, {LabelCell(absl::StrCat(audit.source(), ", ", audit.table())),
                     LabelCell(QuantityName(value.published().quantity())), LabelCell(WhereOf(value.published())), printed,
                     RecomputedCell(value), LabelCell(value.sentence())});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("every number was reproduced, and none carries a flag");
  }
  return table;
}

}  // namespace

proto::Section AuditSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("audit");
  section.set_title("Published tables under audit");
  for (const CommModelRecords& file : lab.comm_models) {
    if (!file.audits.empty()) {
      *section.add_table() = SummaryTable(file);
      *section.add_table() = FindingsTable(file);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Published tables, recomputed", {});
    table.set_absent_reason("no record among the inputs audits a published table; comm_model --audit makes one");
  }
  return section;
}

}  // namespace lockstep
