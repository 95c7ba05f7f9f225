#include "lib/reducer/one_layer_check_testing.h"

#include <ATen/Functions.h>
#include <torch/types.h>

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/reducer/sync_batch_norm.h"

namespace lockstep::testing {
namespace {

constexpr int64_t kChannels = 5;
constexpr int64_t kSide = 6;

struct Part {
  int64_t first = 0;
  int64_t count = 0;
};

// Returns the images of a rank. Rank r has r + 1 images, so no two ranks have the same number.
Part PartOf(int rank) { return {rank * (rank + 1) / 2, rank + 1}; }

// Returns (n, C, H, W) in double, exact in bf16 if `bf16` is true. Means are several times the spread, and differ by
// channel.
at::Tensor Numbers(int64_t images, double step, double offset, bool bf16) {
  const at::Tensor i = at::arange(images * kChannels * kSide * kSide, at::kDouble);
  const at::Tensor numbers = i.mul(step).sin().add(i.mul(0.013).cos()).reshape({images, kChannels, kSide, kSide}) +
                             at::arange(kChannels, at::kDouble).mul(offset).view({1, kChannels, 1, 1});
  return numbers.to(bf16 ? at::kBFloat16 : at::kFloat).to(at::kDouble);
}

at::Tensor ByChannel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }
at::Tensor OverImages(const at::Tensor& values) { return values.sum({0, 2, 3}); }

// Returns "" if `got` is within the tolerance, else the difference. A NaN is out of tolerance.
std::string Check(absl::string_view what, const at::Tensor& got, const at::Tensor& expected,
                  const at::Tensor& tolerance) {
  const double ratio = (got.cpu().to(at::kDouble) - expected).abs().div(tolerance).max().item<double>();
  return ratio <= 1 ? "" : absl::StrCat(what, " is off by ", ratio, " tolerances; ");
}

// Compares one pass in training mode over this rank's images with a reference in double over all images.
//
// Number of roundings:
// - Mean, variance and their merge over N ranks: the stored value, the share, its product, N - 1 additions, and for the
//   variance one difference and one square more. Half of the variance's relative error reaches 1 / deviation. Together
//   with the final expression these are fewer than 16 roundings of u = 2^-24 each. The kernel computes x * alpha +
//   (beta - mean * alpha), so the rounded values have the size of |x| + |mean|, measured in deviations. On a GPU the
//   statistics themselves are sums in fp32.
// - The sums of backward have n terms: 10 sqrt(n) u of the mean magnitude of their terms (Higham and Mary, SIAM J. Sci.
//   Comput. 2019, theorem 2.4).
// - bf16 results: one more rounding, of 2^-8.
std::string Compare(const at::Tensor& all_x, const at::Tensor& all_dy, const Part& mine, BatchNormImpl& batch_norm,
                    const at::Tensor& x, const at::Tensor& y) {
  const double u = 0x1p-24;
  const double storage = y.scalar_type() == at::kBFloat16 ? 0x1p-8 : 0;
  const at::Tensor gamma = batch_norm.weight.detach().cpu().to(at::kDouble);
  const at::Tensor beta = batch_norm.bias.detach().cpu().to(at::kDouble);
  const double n = static_cast<double>(all_x.numel()) / kChannels;
  const double sum_roundings = 16 + 10 * std::sqrt(n);
  const double roundings = y.is_cpu() ? 16 : sum_roundings;
  const at::Tensor mean = OverImages(all_x) / n;
  const at::Tensor variance = OverImages((all_x - ByChannel(mean)).square()) / n;
  const at::Tensor inverse = (variance + batch_norm.options.eps()).rsqrt();
  const at::Tensor x_hat = (all_x - ByChannel(mean)) * ByChannel(inverse);
  const at::Tensor scale = ByChannel(gamma * inverse);
  const at::Tensor m1 = ByChannel(OverImages(all_dy) / n);
  const at::Tensor m2 = ByChannel(OverImages(all_dy * x_hat) / n);
  const auto part = [&](const at::Tensor& of_all) { return of_all.narrow(0, mine.first, mine.count); };

  const at::Tensor rounded = (all_x.abs() + ByChannel(mean.abs())) * ByChannel(inverse);  // measured in deviations
  const at::Tensor expected_y = x_hat * ByChannel(gamma) + ByChannel(beta);
  const at::Tensor y_tolerance =
      roundings * u * (rounded * ByChannel(gamma.abs()) + ByChannel(beta.abs())) + storage * expected_y.abs();
  std::string found = Check("y", y.detach(), part(expected_y), part(y_tolerance));

  const at::Tensor expected_dx = scale * (all_dy - m1 - x_hat * m2);
  const at::Tensor terms = all_dy.abs() + ByChannel(OverImages(all_dy.abs()) / n) +
                           (1 + rounded) * ByChannel(OverImages((all_dy * (1 + rounded)).abs()) / n);
  found += Check("dx", x.grad(), part(expected_dx),
                 part(sum_roundings * u * scale.abs() * terms + storage * expected_dx.abs()));

  const at::Tensor my_dy = part(all_dy);
  const at::Tensor my_terms = my_dy * part(x_hat);
  found += Check("d gamma", batch_norm.weight.grad(), OverImages(my_terms),
                 sum_roundings * u * OverImages((my_dy * (1 + part(rounded))).abs()));
  found += Check("d beta", batch_norm.bias.grad(), OverImages(my_dy), sum_roundings * u * OverImages(my_dy.abs()));

  const double momentum = *batch_norm.options.momentum();
  found += Check("running mean", batch_norm.running_mean, momentum * mean, roundings * u * (1 + mean.abs()));
  found += Check("running variance", batch_norm.running_var, (1 - momentum) + momentum * variance * n / (n - 1),
                 roundings * u * (1 + variance));
  return found;
}

}  // namespace

std::string CheckOneLayer(Communicator& communicator, c10::Device device, const std::string& how) {
  const bool bf16 = absl::StrContains(how, "bf16");
  const bool alone = communicator.size() == 1 || absl::StrContains(how, "alone");
  const bool channels_last = absl::StrContains(how, "channels-last");
  const Part mine = PartOf(communicator.rank());
  at::Tensor all_x = Numbers(PartOf(communicator.size()).first, 0.7, 3, bf16);
  at::Tensor all_dy = Numbers(PartOf(communicator.size()).first, 0.31, 0.1, bf16);

  BatchNormImpl batch_norm(kChannels);
  batch_norm.weight.detach().copy_(
      at::arange(kChannels).add(0.5).mul(at::arange(kChannels).remainder(2).mul(2).sub(1)));
  batch_norm.bias.detach().copy_(at::arange(kChannels).mul(-0.3));
  batch_norm.to(device);
  const auto sums = c10::make_intrusive<CountedSums>(communicator, !alone);
  const auto order = channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const auto own = [&](const at::Tensor& all) {
    return all.narrow(0, mine.first, mine.count).to(device, bf16 ? at::kBFloat16 : at::kFloat).contiguous(order);
  };
  const at::Tensor x = own(all_x).requires_grad_();
  const at::Tensor y = SyncBatchNormForward(x, batch_norm, sums);
  y.backward(own(all_dy));
  std::string found;
  if (y.scalar_type() != x.scalar_type() || y.strides() != x.strides()) {
    found = "y has another dtype or order than x; ";
  }
  const Traffic traffic = sums->TakeTraffic();
  const uint64_t bytes = 4 * (communicator.size() * (2 * kChannels + 1) + 2 * kChannels);
  if (traffic.calls != (alone ? 0 : 2) || traffic.bytes != (alone ? 0 : bytes) || (traffic.busy_seconds > 0) == alone) {
    absl::StrAppend(&found, traffic.calls, " sums, ", traffic.bytes, " bytes, ", traffic.busy_seconds, " s; ");
  }
  if (alone) {
    all_x = all_x.narrow(0, mine.first, mine.count);
    all_dy = all_dy.narrow(0, mine.first, mine.count);
  }
  found += Compare(all_x, all_dy, alone ? Part{0, mine.count} : mine, batch_norm, x, y);
  return found.empty() ? "" : absl::StrCat(how.empty() ? "plain" : how, ": ", found);
}

}  // namespace lockstep::testing
