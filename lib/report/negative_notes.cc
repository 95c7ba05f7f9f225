#include "lib/report/negative_notes.h"

#include "absl/strings/str_cat.h"
#include "lib/scaling/negative_communication.h"

namespace lockstep {

void AddNegativeNotes(const ScalingView& view, const std::vector<const proto::ScalingRow*>& rows, proto::Table& table) {
  for (const proto::ScalingRow* const row : rows) {
    if (row != nullptr && HasNegativeCommunication(*row)) {
      const uint32_t batch = row->batch_per_device() * (view.global_batch() ? row->ranks() : 1);
      table.add_note(absl::StrCat("At ", row->ranks(), " devices, ", view.BatchTitle(batch), ", comm is ",
                                  NegativeCommunicationText(*row), "."));
    }
  }
}

}  // namespace lockstep
