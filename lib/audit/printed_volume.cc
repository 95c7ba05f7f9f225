#include "lib/audit/printed_volume.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"
#include "lib/audit/left_over.h"

namespace lockstep {
namespace {

// Returns a convention that computes a bandwidth from a volume in GB exactly as printed, however it was obtained.
Convention MakeFromPrintedVolume(const Source& volume, const Choice& iterations, const SharedInputs& inputs,
                                 const LeftOver& left) {
  Convention convention;
  convention.text = absl::StrCat("volume of ", volume.name, " as printed");
  convention.meaning = absl::StrCat("printed volume; ", MeaningOf(iterations));
  convention.departures = 1;
  AddFactor(iterations, convention);
  absl::StrAppend(&convention.text, " / T_comm, ", inputs->text);
  NameLeftOver(left, convention);
  convention.evaluate = [&volume, iterations = iterations.factor, inputs,
                         left](const TablePlace& place) -> std::optional<Recomputed> {
    const std::optional<Recomputed> seconds = inputs->seconds(left.Place(left.seconds, place));
    const Cell* sent = VolumeAt(volume, left.Place(left.factor, place));
    if (!seconds.has_value() || sent == nullptr || seconds->exact == 0 || seconds->from_printed == 0) {
      return std::nullopt;
    }
    const double times = sent->value->batch() == 0 ? iterations(left.Place(left.iterations, place)) : 1;
    const double gigabytes = sent->printed.value * times;
    std::vector<const Cell*> made_of = seconds->inputs;
    made_of.push_back(sent);
    Recomputed recomputed = {gigabytes / seconds->exact, gigabytes / seconds->from_printed, std::move(made_of)};
    if (left.devices > 0) {
      MarkOtherDevices(left.devices, place, recomputed);
    }
    if (sent->Exact() != sent->printed.value) {
      recomputed.flags.emplace_back(kRoundedIntermediates);
    }
    return recomputed;
  };
  return convention;
}

}  // namespace

const Cell* VolumeAt(const Source& volume, const TablePlace& place) {
  const Cell* epoch = volume.At(place.devices, place.batch);
  return epoch != nullptr ? epoch : volume.At(place.devices, 0);
}

void AddFromPrintedVolumes(const Document& document, const SharedInputs& inputs, std::vector<Convention>& conventions) {
  const std::vector<LeftOver> left_overs = LeftOversOf(document);
  for (const Source& volume : inputs->gigabytes) {
    for (const Choice& iterations : Iterations(document)) {
      conventions.push_back(MakeFromPrintedVolume(volume, iterations, inputs, kNothingLeft));
      for (const LeftOver& left : left_overs) {
        if (iterations.flags.empty()) {
          conventions.push_back(MakeFromPrintedVolume(volume, iterations, inputs, left));
        }
      }
    }
  }
}

}  // namespace lockstep
