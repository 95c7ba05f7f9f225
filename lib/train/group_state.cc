#include "lib/train/group_state.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Upper bound of the bytes that may differ between ranks. Running statistics of resnet18 are 38 KB; larger arrays must
// be weights, which may not differ.
constexpr size_t kMaxOwnBytes = size_t{4} << 20;

// Returns the SHA-256 digests of name and contents of each array, concatenated in the order of the names.
std::string DigestsOf(const TrainingArrays& arrays) {
  std::string digests;
  for (const auto& [name, bytes] : arrays) {
    absl::StrAppend(&digests, Sha256Hex(absl::StrCat(name, ":", bytes.size())), Sha256Hex(bytes));
  }
  return digests;
}

// Removes the arrays whose digests equal the first rank's. All ranks must hold arrays of the same names.
void KeepWhatDiffers(const std::string& mine, const std::string& first, TrainingArrays& arrays) {
  const size_t length = arrays.empty() ? 0 : mine.size() / arrays.size();
  size_t at = 0;
  for (auto array = arrays.begin(); array != arrays.end(); at += length) {
    const bool same = mine.compare(at, length, first, at < first.size() ? at : first.size(), length) == 0;
    array = same ? arrays.erase(array) : std::next(array);
  }
}

}  // namespace

absl::StatusOr<TrainingStates> GatherStates(RankGroup* group, TrainingState own) {
  if (group == nullptr || group->size() == 1) {
    return TrainingStates{std::move(own)};
  }
  const std::string mine = DigestsOf(own.arrays);
  ASSIGN_OR_RETURN(const std::vector<std::string> digests, group->GatherState(mine));
  const bool is_first = group->rank() == 0;
  TrainingStates states = {std::move(own)};
  if (!is_first) {
    KeepWhatDiffers(mine, digests[0], states[0].arrays);
  }
  const std::string packed = is_first ? "" : PackStates(states);
  if (packed.size() > kMaxOwnBytes) {
    return absl::AbortedError(absl::StrCat("rank ", group->rank(), " holds ", packed.size(),
                                           " bytes that differ from rank 0's: its weights differ"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> all, group->GatherState(packed));
  for (size_t rank = 1; is_first && rank < all.size(); ++rank) {
    absl::StatusOr<TrainingStates> of_rank = UnpackStates(all[rank]);
    if (!of_rank.ok() || of_rank->size() != 1) {
      return absl::InternalError(absl::StrCat("expected one training state from rank ", rank, ", found ",
                                              of_rank.ok() ? absl::StrCat(of_rank->size()) : of_rank.status().message(),
                                              "; this is a fault of that rank"));
    }
    states.push_back(std::move(of_rank->front()));
  }
  return states;
}

absl::StatusOr<std::optional<TrainingState>> HandOutStates(RankGroup* group, std::optional<TrainingStates> read) {
  const uint32_t size = group == nullptr ? 1 : group->size();
  const uint32_t rank = group == nullptr ? 0 : group->rank();
  TrainingStates states = read.has_value() ? *std::move(read) : TrainingStates();
  if (size > 1) {
    std::string bytes = PackStates(std::move(states));
    RETURN_IF_ERROR(group->ShareState(bytes));
    ASSIGN_OR_RETURN(states, UnpackStates(bytes));
  }
  if (states.empty()) {
    return std::nullopt;
  }
  if (states.size() != size) {
    return absl::FailedPreconditionError(
        absl::StrCat("the training state is of ", states.size(), " ranks, expected ", size));
  }
  TrainingState own = std::move(states[rank]);
  if (rank != 0) {
    own.arrays.merge(states[0].arrays);  // keeps the arrays that `own` already has
  }
  return own;
}

}  // namespace lockstep
