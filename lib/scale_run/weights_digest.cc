#include "lib/scale_run/weights_digest.h"

#include "absl/strings/string_view.h"
#include "lib/record/digest.h"

namespace lockstep {

std::string WeightsDigest(const Model& model) {
  Sha256 digest;
  for (const torch::Tensor& parameter : model.parameters()) {
    const torch::Tensor host = parameter.detach().cpu().contiguous();
    digest.Update(absl::string_view(static_cast<const char*>(host.data_ptr()), host.nbytes()));
  }
  return digest.HexDigest();
}

}  // namespace lockstep
