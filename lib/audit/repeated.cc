#include "lib/audit/repeated.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

// Text that is equal for numbers that may be one number printed twice.
std::string IdentityOf(const proto::PublishedValue& value) {
  return absl::StrJoin(
      std::make_tuple(value.devices(), value.batch(), value.epoch(), std::max(value.base_devices(), 1u),
                      value.base_batch(), value.context(), PrintedText(value)),
      "|");
}

}  // namespace

void FollowRepetitions(proto::PublishedQuantity quantity, Document& document,
                       std::vector<proto::AuditedValue>& audited) {
  std::map<std::string, size_t> follow;  // numbers of this kind that follow without a slip, the first of each identity
  for (size_t i = 0; i < audited.size(); ++i) {
    const Cell& cell = document.cells()[i];
    if (cell.value->quantity() == quantity && audited[i].finding() == proto::REPRODUCED &&
        audited[i].flag_size() == 0 && cell.repeats == nullptr) {
      follow.emplace(IdentityOf(*cell.value), i);
    }
  }
  for (size_t i = 0; i < audited.size() && !follow.empty(); ++i) {
    Cell& cell = document.cells()[i];
    if (cell.value->quantity() != quantity || audited[i].finding() != proto::COULD_BE_CHANCE) {
      continue;
    }
    const auto first = follow.find(IdentityOf(*cell.value));
    if (first == follow.end() || document.cells()[first->second].table == cell.table) {
      continue;
    }
    const Cell& original = document.cells()[first->second];
    proto::Candidate& candidate = *audited[i].add_reproduced_by();
    candidate = audited[first->second].reproduced_by(0);
    candidate.set_convention(absl::StrCat("as printed in ", document.TableName(original)));
    audited[i].set_finding(proto::REPRODUCED);
    audited[i].clear_nearest();
    audited[i].set_sentence(absl::StrCat("Repeats ", PrintedText(*original.value), " of ", document.TableName(original),
                                         ", which follows: ", audited[first->second].sentence()));
    cell.repeats = &original;
  }
}

}  // namespace lockstep
