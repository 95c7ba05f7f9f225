#include "lib/scale_run/rank_agreement.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/content_digest.h"
#include "lib/launch/agreement.h"
#include "lib/launch/process_description.h"
#include "lib/record/recorded_file.h"

namespace lockstep {

absl::Status CheckIsPlannedDataset(const Dataset& dataset, const proto::RankOrder& order) {
  const absl::Status same_file = CheckNotReplaced(dataset.input, order.dataset_sha256());
  if (same_file.ok() || order.dataset_content_sha256().empty()) {
    return same_file;
  }
  return ContentSha256(dataset) == order.dataset_content_sha256() ? absl::OkStatus() : same_file;
}

absl::Status CheckRanksAgree(const RankContext& context, c10::Device device, const Dataset& dataset) {
  if (context.size == 1) {
    return absl::OkStatus();
  }
  proto::ProcessDescription own;
  own.set_rank(static_cast<uint32_t>(context.rank));
  own.set_host_name(HostName());
  own.set_dataset(ContentSha256(dataset));
  AddLibraries(device, own);
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   context.store->AllGather(context.rank, context.size, own.SerializeAsString()));
  proto::ProcessDescription first;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    proto::ProcessDescription other;
    if (!other.ParseFromString(all[rank]) || other.rank() != rank) {
      return absl::InternalError(
          absl::StrCat("expected rank ", rank,
                       " to send its description, found bytes that do not parse; this is a fault of that rank"));
    }
    first = rank == 0 ? other : first;
    RETURN_IF_ERROR(CheckAgreement(first, other));
    RETURN_IF_ERROR(CheckSameDataset(first, first.dataset(), other));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
