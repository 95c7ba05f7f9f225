// Bandwidths computed from a volume in MB or MiB as the document prints it.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"
#include "lib/audit/left_over.h"
#include "lib/audit/printed_volume.h"

namespace lockstep {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kMebibyte = 1048576;  // 2^20

// Volumes that a convention takes.
enum class Volumes {
  kOfIteration,  // multiplied by the iterations
  kOfEpoch,      // printed with a batch, and not multiplied
};

// Parts of the formula volume * iterations / T_comm.
struct VolumeParts {
  const Source& volume;
  const Choice& unit;  // bytes of the printed unit of the bandwidth
  const Choice& iterations;
  Volumes volumes;
};

Convention MakeFromMegabytes(const VolumeParts& parts, const SharedInputs& inputs, const LeftOver& left) {
  Convention convention;
  convention.text = absl::StrCat("volume of ", parts.volume.name, " as printed");
  convention.departures = 1;
  const bool of_epoch = parts.volumes == Volumes::kOfEpoch;
  if (!of_epoch) {
    AddFactor(parts.iterations, convention);
  }
  AddChoice(parts.unit, convention);
  convention.meaning =
      absl::StrCat("printed volume; ", of_epoch ? "" : MeaningOf(parts.iterations), "; ", parts.unit.text);
  absl::StrAppend(&convention.text, " / T_comm, ", parts.unit.text, ", ", inputs->text);
  NameLeftOver(left, convention);
  const double bytes = parts.volume.quantity == proto::TRAFFIC_MEBIBYTES ? kMebibyte : kMegabyte;
  convention.evaluate = [&volume = parts.volume, bytes, unit = parts.unit.factor, iterations = parts.iterations.factor,
                         of_epoch, inputs, left](const TablePlace& place) -> std::optional<Recomputed> {
    const std::optional<Recomputed> seconds = inputs->seconds(left.Place(left.seconds, place));
    const Cell* sent = VolumeAt(volume, left.Place(left.factor, place));
    if (!seconds.has_value() || sent == nullptr || seconds->exact == 0 || seconds->from_printed == 0 ||
        (of_epoch && sent->value->batch() == 0)) {
      return std::nullopt;
    }
    const double times = of_epoch ? 1 : iterations(left.Place(left.iterations, place));
    const double scale = times * bytes / unit(place);
    if (!std::isfinite(scale)) {
      return std::nullopt;  // the iterations of a place without a batch
    }
    std::vector<const Cell*> made_of = seconds->inputs;
    made_of.push_back(sent);
    const double value = scale * sent->printed.value / seconds->exact;
    const double least = std::abs(seconds->exact) - seconds->slack;
    const double of_volume = scale * 0.5 * sent->printed.unit / std::abs(seconds->exact);
    // If the time may be 0, the value may be anything; the slack is 0 then.
    Recomputed recomputed = {value, scale * sent->printed.value / seconds->from_printed, std::move(made_of),
                             least > 0 ? std::abs(value) * seconds->slack / least + of_volume : 0};
    if (left.devices > 0) {
      MarkOtherDevices(left.devices, place, recomputed);
    }
    return recomputed;
  };
  return convention;
}

}  // namespace

void AddFromPrintedMegabytes(const Document& document, const SharedInputs& inputs,
                             std::vector<Convention>& conventions) {
  const std::vector<LeftOver> left_overs = LeftOversOf(document);
  const std::vector<Choice> all_iterations = Iterations(document), units = Gigabytes(document.tables().claims());
  for (const Source& volume : inputs->megabytes) {
    for (const Choice& unit : units) {
      conventions.push_back(
          MakeFromMegabytes({volume, unit, all_iterations[0], Volumes::kOfEpoch}, inputs, kNothingLeft));
      for (const Choice& iterations : all_iterations) {
        const VolumeParts parts = {volume, unit, iterations, Volumes::kOfIteration};
        conventions.push_back(MakeFromMegabytes(parts, inputs, kNothingLeft));
        for (const LeftOver& left : left_overs) {
          if (iterations.flags.empty()) {
            conventions.push_back(MakeFromMegabytes(parts, inputs, left));
            conventions.back().departures += unit.flags.empty() ? 0 : kSecondSlipDepartures;
          }
        }
      }
    }
  }
}

}  // namespace lockstep
