#include "lib/dist/communicator_exchange.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/gradient_exchange.h"

namespace lockstep {
namespace {

constexpr int64_t kLargestChecked = 1 << 24;  // elements: more than the network has
constexpr int64_t kPeriod = 61;  // of the numbers: a prime, so that no vector of elements looks like another

at::ScalarType TypeOf(Wire type) { return type == Wire::kBf16 ? at::kBFloat16 : at::kFloat; }

class CommunicatorExchange : public GradientExchange {
 public:
  CommunicatorExchange(Communicator& communicator, const CommunicatorExchangeOptions& options)
      : communicator_(communicator), options_(options) {}

  uint32_t ranks() const override { return static_cast<uint32_t>(communicator_.size()); }
  Wire wire() const override { return options_.wire; }
  uint32_t max_multiprocessors() const override { return options_.sends ? options_.max_multiprocessors : 0; }

  absl::Status Sum(void* data, size_t count, Wire type, cudaStream_t ready, cudaStream_t then) override {
    if (steps_ == 0) {
      range_bytes_.push_back(count * WireBytesPerElement(type));
    }
    if (!options_.sends) {
      return Wait(TimeMark::OnStream(StreamOf(ready).unwrap()), then);
    }
    const at::Tensor flat =
        at::from_blob(data, {static_cast<int64_t>(count)}, at::TensorOptions(options_.device).dtype(TypeOf(type)));
    ++count_.calls;
    count_.bytes += flat.nbytes();
    std::shared_ptr<Collective> collective;
    {
      const c10::cuda::CUDAStreamGuard guard(StreamOf(ready));
      ASSIGN_OR_RETURN(collective, communicator_.AllReduceSum(flat));
    }
    const c10::cuda::CUDAStreamGuard guard(StreamOf(then));
    return collective->Wait();
  }

  void EndStep() override { ++steps_; }

  // All steps send the same.
  ExchangeCount CountOfStep() const {
    return steps_ == 0 ? ExchangeCount() : ExchangeCount{count_.calls / steps_, count_.bytes / steps_, range_bytes_};
  }

  // Small whole numbers, exact in bf16 as their sum is up to 256: rank r has (i mod 61) mod (r + 2).
  absl::Status Check(Wire type, int64_t count) const {
    const at::Tensor index = at::arange(count, at::TensorOptions(options_.device).dtype(at::kLong)).remainder(kPeriod);
    at::Tensor expected = index.remainder(2).to(at::kFloat);
    for (int rank = 1; rank < communicator_.size(); ++rank) {
      expected = expected.add(index.remainder(rank + 2).to(at::kFloat));
    }
    const at::Tensor flat = index.remainder(communicator_.rank() + 2).to(TypeOf(type));
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator_.AllReduceSum(flat));
    RETURN_IF_ERROR(collective->Wait());
    if (flat.to(at::kFloat).equal(expected.to(TypeOf(type)).to(at::kFloat))) {
      return communicator_.Health();
    }
    return absl::AbortedError(
        absl::StrCat("the sum of ", count, " numbers over ", communicator_.size(),
                     " ranks is wrong; this is a fault of the communication library or of Lockstep"));
  }

 private:
  c10::cuda::CUDAStream StreamOf(cudaStream_t stream) const {
    return c10::cuda::getStreamFromExternal(stream, options_.device.index());
  }

  absl::Status Wait(const TimeMark& mark, cudaStream_t then) const {
    mark.Block(StreamOf(then).unwrap());
    return absl::OkStatus();
  }

  Communicator& communicator_;
  const CommunicatorExchangeOptions options_;
  ExchangeCount count_;                // of the steps that were queued, captured ones too
  std::vector<uint64_t> range_bytes_;  // of the first of them
  uint64_t steps_ = 0;
};

}  // namespace

ExchangeCount CountOfStep(const GradientExchange& exchange) {
  return static_cast<const CommunicatorExchange&>(exchange).CountOfStep();
}

absl::StatusOr<std::shared_ptr<GradientExchange>> MakeCommunicatorExchange(Communicator& communicator,
                                                                           const CommunicatorExchangeOptions& options) {
  auto exchange = std::make_shared<CommunicatorExchange>(communicator, options);
  for (int64_t count = 1 << 8; options.sends && count <= kLargestChecked; count *= 4) {
    for (const Wire type : {Wire::kFp32, Wire::kBf16}) {
      RETURN_IF_ERROR(exchange->Check(type, count));
    }
  }
  return std::shared_ptr<GradientExchange>(std::move(exchange));
}

}  // namespace lockstep
