// Label of a row or column of a printed table, or the line above the table: "Epoch time (s)", "4 GPUs", "N=4, B=128".
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_LABEL_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_LABEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/label_words.h"

namespace lockstep {

// Statements of a label. A number is 0 and a text is empty if the label does not state it.
struct TableLabel {
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  std::string unit;
  uint32_t devices = 0;
  uint64_t batch = 0;
  uint32_t base_devices = 0;    // devices after "vs"
  uint64_t number = 0;          // number without a word: "128"
  uint64_t epochs = 0;          // epochs of a training run: "training time for 90 epochs"
  std::string rank_statistic;   // "mean over ranks", "slowest rank", "fastest rank"
  std::string batch_kind;       // "total" or "per_device": "global batch size", "batch size per GPU"
  std::string context;          // arithmetic, "FP32" or "FP32 to mixed precision", or a cell of a column "model"
  bool is_ideal = false;        // true for a quantity under linear scaling: "ideal images/s"
  bool is_epoch_size = false;   // true for "training samples", and nothing else: the images or samples of an epoch
  bool is_unused = false;       // true for a quantity that is not read, and nothing else: "memory (GB)"
  bool names_context = false;   // true for the name of a column whose cells are contexts: "model"
  std::vector<TableAxis> axes;  // words without a number, in their order: kDevices and kBatch of "GPUs \ batch"
  std::string unknown;          // words that are in no list of label_words.h, and statements that contradict others
  bool contradicts = false;     // true if it states two quantities, units, numbers of devices or batches
};

// Reads a label: its first 30 words, and 300 bytes at most. A "training time" is that of a whole run, unless another
// word or the unit states that it is that of an epoch or iteration. A rate "per GPU" is that of each device.
TableLabel ParseTableLabel(absl::string_view text);

// Adds the statements of `more` that `label` lacks. Contradictions are added to `label.unknown`.
void AddToLabel(const TableLabel& more, TableLabel& label);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_LABEL_H_
