#include "lib/reducer/counted_exchange.h"

#include <ATen/ops/arange.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr int64_t kMaxSecond = 10'000;  // limit of the elements in a step's second range, as many as batch norm's
constexpr int64_t kPeriod = 61;         // period of the numbers: a prime, so that no two vectors of elements are equal

at::ScalarType TypeOf(CommunicationDtype type) {
  return type == CommunicationDtype::kBf16 ? at::kBFloat16 : at::kFloat;
}

uint64_t BytesOf(const RangeToSum& range) { return range.count * BytesPerElement(range.type); }

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

// Sums small whole numbers, which are exact in bf16 because their sum is at most 256: rank r has
// (i mod 61) mod (r + 2).
absl::Status CountedExchange::CheckSum(int rank, c10::Device device, CommunicationDtype type, int64_t count) {
  const at::Tensor index = at::arange(count, at::TensorOptions(device).dtype(at::kLong)).remainder(kPeriod);
  at::Tensor expected = index.remainder(2).to(at::kFloat);
  for (uint32_t other = 1; other < ranks(); ++other) {
    expected = expected.add(index.remainder(static_cast<int64_t>(other) + 2).to(at::kFloat));
  }
  const at::Tensor flat = index.remainder(rank + 2).to(TypeOf(type));
  const at::Tensor second = flat.narrow(0, 0, std::min(count, kMaxSecond)).clone();
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device.index());
  for (const at::Tensor& range : {flat, second}) {
    RETURN_IF_ERROR(Sum({range.data_ptr(), static_cast<size_t>(range.numel()), type, stream, stream, 0}));
  }
  RETURN_IF_ERROR(EndStep(stream));
  const at::Tensor rounded = expected.to(TypeOf(type));
  const bool equal = flat.equal(rounded) && second.equal(rounded.narrow(0, 0, second.numel()));  // waits for the GPU
  RETURN_IF_ERROR(Health());
  return equal ? absl::OkStatus()
               : absl::AbortedError(
                     absl::StrCat("the sum of ", count, " numbers over ", ranks(),
                                  " ranks is wrong; this is a fault of the communication library or of Lockstep"));
}

absl::Status CountedExchange::CheckSums(int rank, c10::Device device) {
  for (int64_t count = 1 << 8; count <= kMaxExchanged; count *= 4) {
    for (const CommunicationDtype type : {CommunicationDtype::kFp32, CommunicationDtype::kBf16}) {
      RETURN_IF_ERROR(CheckSum(rank, device, type, count));
    }
  }
  count_ = ExchangeCount();
  steps_ = 0;
  return absl::OkStatus();
}

}  // namespace lockstep
