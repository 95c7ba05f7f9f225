#include "lib/reducer/sum_check.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

constexpr int64_t kChunkElements = 1 << 20;  // elements held in double at a time: 8 MiB per tensor

struct Deviation {
  double max_abs_error = 0;
  double max_tolerance = 0;
  double max_error_over_tolerance = 0;
};

// Returns the maximum error of an average as a share of mean|g_r|, derived in the header.
double RelativeTolerance(int ranks, CommunicationDtype dtype) {
  const double u = UnitRoundoff(CommunicationDtype::kFp32);
  return dtype == CommunicationDtype::kFp32 ? (ranks + 2) * u
                                            : std::pow(1 + UnitRoundoff(dtype), ranks) * (1 + u) * (1 + u) - 1;
}

// Compares one chunk; `local` and `average` are fp32 (n).
absl::Status CompareChunk(Communicator& communicator, const at::Tensor& local, const at::Tensor& average,
                          CommunicationDtype dtype, Deviation& deviation) {
  const int size = communicator.size();
  at::Tensor sum = at::zeros({local.numel()}, at::kDouble);
  at::Tensor magnitude = at::zeros({local.numel()}, at::kDouble);
  for (int rank = 0; rank < size; ++rank) {
    const at::Tensor theirs = rank == communicator.rank() ? local.clone() : at::empty_like(local);
    RETURN_IF_ERROR(communicator.Broadcast(theirs, rank));
    const at::Tensor exact = theirs.cpu().to(at::kDouble);
    sum += exact;
    magnitude += exact.abs();
  }
  const at::Tensor error = average.cpu().to(at::kDouble).sub(sum.div(size)).abs();
  const at::Tensor tolerance = magnitude.mul(RelativeTolerance(size, dtype) / size).add(size * std::ldexp(1.0, -126));
  // If any value is NaN, the ratio is NaN, and becomes infinite below, so that the check fails.
  const double ratio = error.div(tolerance).max().item<double>();
  deviation.max_abs_error = std::max(deviation.max_abs_error, error.max().item<double>());
  deviation.max_tolerance = std::max(deviation.max_tolerance, tolerance.max().item<double>());
  deviation.max_error_over_tolerance =
      std::isnan(ratio) ? HUGE_VAL : std::max(deviation.max_error_over_tolerance, ratio);
  return absl::OkStatus();
}

std::string DigestOf(const at::Tensor& flat) {
  const at::Tensor host = flat.cpu().contiguous();
  return Sha256Hex(absl::string_view(static_cast<const char*>(host.data_ptr()), host.nbytes()));
}

// Returns true if all ranks hold the same bytes.
absl::StatusOr<bool> AllAlike(Communicator& communicator, const at::Tensor& flat) {
  ASSIGN_OR_RETURN(const std::vector<std::string> digests, communicator.AllGather(DigestOf(flat)));
  return std::all_of(digests.begin(), digests.end(), [&](const std::string& digest) { return digest == digests[0]; });
}

// Merges the deviations: the largest over the ranks.
absl::Status MergeDeviation(Communicator& communicator, proto::SumCheck& check) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all, communicator.AllGather(check.SerializeAsString()));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    proto::SumCheck other;
    // The differences are at least 0. A NaN in a gradient makes max_error_over_tolerance infinite, and not NaN.
    if (!other.ParseFromString(all[rank]) || !(other.max_error_over_tolerance() >= 0)) {
      return absl::InternalError(absl::StrCat("expected the check of a sum from rank ", rank, ", found '",
                                              absl::CHexEscape(all[rank].substr(0, 40)),
                                              "'; this is a fault of that rank"));
    }
    check.set_max_abs_error(std::max(check.max_abs_error(), other.max_abs_error()));
    check.set_tolerance(std::max(check.tolerance(), other.tolerance()));
    check.set_max_error_over_tolerance(std::max(check.max_error_over_tolerance(), other.max_error_over_tolerance()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<proto::SumCheck> CheckAverage(Communicator& communicator, const at::Tensor& local,
                                             const at::Tensor& average, CommunicationDtype dtype) {
  Deviation deviation;
  for (int64_t offset = 0; offset < local.numel(); offset += kChunkElements) {
    const int64_t elements = std::min(kChunkElements, local.numel() - offset);
    RETURN_IF_ERROR(CompareChunk(communicator, local.narrow(0, offset, elements), average.narrow(0, offset, elements),
                                 dtype, deviation));
  }
  proto::SumCheck check;
  check.set_max_abs_error(deviation.max_abs_error);
  check.set_tolerance(deviation.max_tolerance);
  check.set_max_error_over_tolerance(deviation.max_error_over_tolerance);
  RETURN_IF_ERROR(MergeDeviation(communicator, check));
  ASSIGN_OR_RETURN(const bool alike_before, AllAlike(communicator, local));
  ASSIGN_OR_RETURN(const bool alike_after, AllAlike(communicator, average));
  check.set_ranks_differ_before(!alike_before);
  check.set_ranks_equal_after(alike_after);
  check.set_passed(check.max_error_over_tolerance() <= 1 && !alike_before && alike_after);
  return check;
}

absl::Status SumCheckStatus(const proto::SumCheck& check) {
  if (check.passed()) {
    return absl::OkStatus();
  }
  std::string what = "the all-reduce of the gradients failed its check:";
  if (check.max_error_over_tolerance() > 1) {
    absl::StrAppend(&what, " an element is off by ", check.max_error_over_tolerance(),
                    " times its tolerance (largest error ", check.max_abs_error(), ");");
  }
  if (!check.ranks_differ_before()) {
    absl::StrAppend(&what, " all ranks had the same gradients before, so their shards are not disjoint;");
  }
  if (!check.ranks_equal_after()) {
    absl::StrAppend(&what, " the ranks do not have the same gradients after;");
  }
  return absl::AbortedError(absl::StrCat(what, " this is a fault of the communication library or of Lockstep"));
}

}  // namespace lockstep
