#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/published/printed_value.h"
#include "lib/report/sections.h"
#include "lib/wording/cell.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

uint64_t FindingsOfKind(const proto::AuditTable& audit, proto::Finding finding) {
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

// Returns "T_1/T_N, times of Q2 (6)".
proto::Cell ConventionsCell(const proto::AuditTable& audit) {
  if (audit.summary().convention().empty()) {
    return AbsentCell("no number of this table is reproduced by one convention");
  }
  const auto as = [](std::string* out, const proto::ConventionCount& count) {
    absl::StrAppend(out, count.convention(), " (", count.numbers(), ")");
  };
  return LabelCell(absl::StrJoin(audit.summary().convention(), " | ", as));
}

// The tables of one document.
using Document = std::vector<const proto::AuditTable*>;

std::vector<Document> DocumentsOf(const LabCommModel& file) {
  std::vector<Document> documents;  // documents in the order of the record
  for (const proto::AuditTable& audit : file.audits) {
    const auto it = std::find_if(documents.begin(), documents.end(),
                                 [&](const Document& document) { return document[0]->source() == audit.source(); });
    if (it == documents.end()) {
      documents.push_back({&audit});
    } else {
      it->push_back(&audit);
    }
  }
  return documents;
}

proto::Table SummaryTable(const Document& document) {
  proto::Table table = MakeTable(absl::StrCat("Published tables, recomputed: ", document[0]->source()),
                                 {"table", "numbers", "given", "reproduced", "by several conventions",
                                  "could be chance", "not reproducible", "reproduced as", "flags"});
  for (const proto::AuditTable* audit : document) {
    const auto count = [&](proto::Finding finding) {
      return CountCell(FindingsOfKind(*audit, finding), proto::DERIVED, "");
    };
    AddRow(table,
           {LabelCell(audit->table()), CountCell(static_cast<uint64_t>(audit->value_size()), proto::DERIVED, ""),
            count(proto::GIVEN), count(proto::REPRODUCED), count(proto::AMBIGUOUS), count(proto::COULD_BE_CHANCE),
            count(proto::NOT_REPRODUCIBLE), ConventionsCell(*audit), LabelCell(FlagsOf(*audit))});
  }
  table.add_note("given: an input of other numbers, such as a measured time; it cannot be recomputed.");
  table.add_note(
      "could be chance: a correct formula gives the number, but with so few digits some formula would also give a "
      "random number.");
  return table;
}

// Returns "2 devices, batch 32", "4 devices, batch 512, int8 weights only".
std::string WhereOf(const proto::PublishedValue& value) {
  std::vector<std::string> parts;
  if (value.devices() > 0) {
    parts.push_back(CountOf(value.devices(), "device"));
  }
  if (value.batch() > 0) {
    parts.push_back(absl::StrCat("batch ", value.batch()));
  }
  if (!value.context().empty()) {
    parts.push_back(value.context());
  }
  return absl::StrJoin(parts, ", ");
}

// Returns "speedup", "bandwidth gigabytes per second".
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
                             : AbsentCell("the document has no numbers to compute it from");
}

proto::Cell PrintedCell(const proto::PublishedValue& published) {
  if (published.as_printed().empty()) {
    return AbsentCell("the record has no printed digits");
  }
  proto::Cell cell = LabelCell(PrintedText(published));
  cell.set_provenance(proto::PUBLISHED);
  return cell;
}

proto::Table NotReproducedTable(const Document& document) {
  proto::Table table =
      MakeTable(absl::StrCat("Numbers that no convention reproduces, or perhaps by chance: ", document[0]->source()),
                {"table", "number", "where", "printed", "recomputed", "finding"});
  for (const proto::AuditTable* audit : document) {
    for (const proto::AuditedValue& value : audit->value()) {
      if (value.finding() != proto::NOT_REPRODUCIBLE && value.finding() != proto::COULD_BE_CHANCE) {
        continue;
      }
      AddRow(table, {LabelCell(audit->table()), LabelCell(QuantityName(value.published().quantity())),
                     LabelCell(WhereOf(value.published())), PrintedCell(value.published()), RecomputedCell(value),
                     LabelCell(value.sentence())});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("every computable number was reproduced");
  }
  return table;
}

// One flag, the number of values that carry it, and the first of them.
struct Flagged {
  std::string flag;
  uint64_t count = 0;
  std::string table;
  const proto::AuditedValue* first = nullptr;
};

std::vector<Flagged> FlaggedOf(const Document& document) {
  std::vector<Flagged> all;  // flags in order of first appearance
  for (const proto::AuditTable* audit : document) {
    for (const proto::AuditedValue& value : audit->value()) {
      for (const std::string& flag : value.flag()) {
        auto it = std::find_if(all.begin(), all.end(), [&](const Flagged& entry) { return entry.flag == flag; });
        if (it == all.end()) {
          it = all.insert(it, {flag, 0, audit->table(), &value});
        }
        ++it->count;
      }
    }
  }
  return all;
}

proto::Table FlagsTable(const Document& document) {
  proto::Table table = MakeTable(absl::StrCat("Doubtful conventions: ", document[0]->source()),
                                 {"flag", "numbers", "first in table", "where", "printed", "finding of the first"});
  for (const Flagged& flagged : FlaggedOf(document)) {
    const proto::PublishedValue& published = flagged.first->published();
    AddRow(table, {LabelCell(flagged.flag), CountCell(flagged.count, proto::DERIVED, ""), LabelCell(flagged.table),
                   LabelCell(absl::StrCat(QuantityName(published.quantity()), ", ", WhereOf(published))),
                   PrintedCell(published), LabelCell(flagged.first->sentence())});
  }
  if (table.row().empty()) {
    table.set_absent_reason("no number has a flag");
  }
  table.add_note("The record (report --print) has every finding.");
  return table;
}

}  // namespace

proto::Section AuditSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("audit");
  section.set_title("Published tables under audit");
  for (const LabCommModel& file : lab.comm_models) {
    for (const Document& document : DocumentsOf(file)) {
      *section.add_table() = SummaryTable(document);
      *section.add_table() = NotReproducedTable(document);
      *section.add_table() = FlagsTable(document);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Published tables, recomputed", {});
    table.set_absent_reason(
        absl::StrCat("no record among the inputs audits a published table; ", RunText({AuditCommand()})));
  }
  return section;
}

}  // namespace lockstep
