#include "lib/reducer/counted_exchange.h"

#include <ATen/ops/tensor.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/reducer/sum_terms.h"

namespace lockstep {
namespace {

constexpr int64_t kMinChecked = 1 << 8;  // elements of the smallest checked range
static_assert(kTermPeriod <= kMinChecked, "the smallest range has a whole period, so a term above 0 of every rank");
constexpr int64_t kMaxSecond = 10'000;  // limit of the elements in a step's second range, as many as batch norm's

at::ScalarType TypeOf(CommunicationDtype type) {
  return type == CommunicationDtype::kBf16 ? at::kBFloat16 : at::kFloat;
}

uint64_t BytesOf(const RangeToSum& range) { return range.count * BytesPerElement(range.type); }

// Returns a new tensor of `count` elements that repeat those of `period`.
at::Tensor Repeat(const std::vector<float>& period, int64_t count, const at::TensorOptions& options) {
  const auto size = static_cast<int64_t>(period.size());
  return at::tensor(period).to(options).repeat({(count + size - 1) / size}).narrow(0, 0, count);
}

}  // namespace

ExchangeCount CountedExchange::CountOfStep() const {
  return steps_ == 0 ? ExchangeCount()
                     : ExchangeCount{count_.calls / steps_, count_.bytes / steps_, count_.range_bytes};
}

void CountedExchange::CountSent(const RangeToSum& range) {
  CountUnsent(range);
  ++count_.calls;
  count_.bytes += BytesOf(range);
}

void CountedExchange::CountUnsent(const RangeToSum& range) {
  if (steps_ == 0) {
    count_.range_bytes.push_back(BytesOf(range));
  }
}

// Sums the terms of sum_terms.h, whose sums are exact in both types.
absl::Status CountedExchange::CheckSum(int rank, c10::Device device, CommunicationDtype type, int64_t count) {
  std::vector<float> terms, sums;
  for (int64_t i = 0; i < kTermPeriod; ++i) {
    terms.push_back(static_cast<float>(SumTerm(i, rank, ranks())));
    int64_t sum = 0;
    for (uint32_t other = 0; other < ranks(); ++other) {
      sum += SumTerm(i, other, ranks());
    }
    sums.push_back(static_cast<float>(sum));
  }
  const at::TensorOptions options = at::TensorOptions(device).dtype(TypeOf(type));
  const at::Tensor flat = Repeat(terms, count, options), expected = Repeat(sums, count, options);
  const at::Tensor second = flat.narrow(0, 0, std::min(count, kMaxSecond)).clone();
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device.index());
  for (const at::Tensor& range : {flat, second}) {
    RETURN_IF_ERROR(Sum({range.data_ptr(), static_cast<size_t>(range.numel()), type, stream, stream, 0}));
  }
  RETURN_IF_ERROR(EndStep(stream));
  const bool equal = flat.equal(expected) && second.equal(expected.narrow(0, 0, second.numel()));  // waits for the GPU
  RETURN_IF_ERROR(Health());
  return equal ? absl::OkStatus()
               : absl::AbortedError(
                     absl::StrCat("the sum of ", count, " numbers over ", ranks(),
                                  " ranks is wrong; this is a fault of the communication library or of Lockstep"));
}

absl::Status CountedExchange::CheckSums(int rank, c10::Device device) {
  for (int64_t count = kMinChecked; count <= kMaxExchanged; count *= 4) {
    for (const CommunicationDtype type : {CommunicationDtype::kFp32, CommunicationDtype::kBf16}) {
      RETURN_IF_ERROR(CheckSum(rank, device, type, count));
    }
  }
  count_ = ExchangeCount();
  steps_ = 0;
  return absl::OkStatus();
}

}  // namespace lockstep
