#include "lib/reducer/communicator_exchange.h"

#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "lib/base/status_macros.h"
#include "lib/reducer/counted_exchange.h"

namespace lockstep {
namespace {

at::ScalarType TypeOf(CommunicationDtype type) {
  return type == CommunicationDtype::kBf16 ? at::kBFloat16 : at::kFloat;
}

class CommunicatorExchange : public CountedExchange {
 public:
  CommunicatorExchange(Communicator& communicator, const CommunicatorExchangeOptions& options)
      : communicator_(communicator), options_(options) {}

  uint32_t ranks() const override { return static_cast<uint32_t>(communicator_.size()); }
  CommunicationDtype communication_dtype() const override { return options_.communication_dtype; }
  uint32_t max_multiprocessors() const override { return options_.sends ? options_.max_multiprocessors : 0; }

  absl::Status Sum(const RangeToSum& range) override {
    if (!options_.sends) {
      CountUnsent(range);
      Timestamp::OnStream(StreamOf(range.ready).unwrap()).Block(StreamOf(range.then).unwrap());
      return absl::OkStatus();
    }
    CountSent(range);
    const at::Tensor flat = at::from_blob(range.data, {static_cast<int64_t>(range.count)},
                                          at::TensorOptions(options_.device).dtype(TypeOf(range.type)));
    std::shared_ptr<Collective> collective;
    {
      const c10::cuda::CUDAStreamGuard guard(StreamOf(range.ready));
      ASSIGN_OR_RETURN(collective, communicator_.AllReduceSum(flat));
    }
    const c10::cuda::CUDAStreamGuard guard(StreamOf(range.then));
    return collective->Wait();
  }

  absl::Status EndStep(cudaStream_t) override {
    CountStep();
    return absl::OkStatus();
  }

  absl::Status Health() const override { return communicator_.Health(); }

 private:
  c10::cuda::CUDAStream StreamOf(cudaStream_t stream) const {
    return c10::cuda::getStreamFromExternal(stream, options_.device.index());
  }

  Communicator& communicator_;
  const CommunicatorExchangeOptions options_;
};

}  // namespace

absl::StatusOr<MadeExchange> MakeCommunicatorExchange(Communicator& communicator,
                                                      const CommunicatorExchangeOptions& options) {
  auto exchange = std::make_shared<CommunicatorExchange>(communicator, options);
  RETURN_IF_ERROR(options.sends ? exchange->CheckSums(communicator.rank(), options.device) : absl::OkStatus());
  return MadeExchange{exchange, exchange.get()};
}

}  // namespace lockstep
