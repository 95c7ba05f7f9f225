#include "lib/report/glossary.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

struct Entry {
  const char* name;
  const char* words;  // lower-case words between '|', each of which counts; empty: the name
  const char* meaning;
};

// Terms in alphabetical order.
constexpr Entry kEntries[] = {
    {"3-sigma", "3-sigma|three_sigma",
     "|mean| + 3 standard deviations of the values: a range that leaves out the rarest, so that int8 is finer."},
    {"ablation", "ablation|reducer without all-reduces",
     "The same training with its all-reduces left out; what it is faster by is what they cost."},
    {"accumulator", "", "The int32 sum of int8 products, before it becomes an int8 again."},
    {"all-reduce", "", "Every device gives an array and gets the sum of all devices' arrays."},
    {"alpha, beta", "alpha", "An all-reduce's time is alpha + beta x bytes: a fixed part, and one for each byte."},
    {"autograd", "", "LibTorch's own way to compute gradients, layer by layer."},
    {"batch per device", "",
     "Images that one device takes in one step; times the number of devices it is the global batch."},
    {"bf16", "", "Numbers of 16 bits with the range of fp32 and 8 bits of precision."},
    {"bucket", "bucket|buckets",
     "Gradients of several layers that are sent together, as soon as the last is computed."},
    {"bus bandwidth", "",
     "2(N-1)/N x bytes / time of an all-reduce: what each link carries, so that numbers of devices can be compared."},
    {"calibration", "calibration|calibration images", "Images on which the ranges of activations are taken."},
    {"clipping", "", "A remedy: the gradient is scaled down to a largest length."},
    {"CUDA graph", "", "A step that is recorded once and then replayed, without the CPU."},
    {"DataParallel", "dataparallel|data parallel",
     "One process that copies the network to all devices in each step and collects their gradients."},
    {"DDP", "",
     "Distributed data parallel: a process for each device; gradients are summed by all-reduce during backward."},
    {"efficiency", "", "Speed-up / number of devices."},
    {"epoch", "", "Every training image once."},
    {"exposed", "",
     "Time from backward's end to the last all-reduce's, by events, summed over an epoch, of the rank with the most."},
    {"fp32", "", "Numbers of 32 bits."},
    {"ghost batch norm", "", "A remedy: batch norm's statistics are taken over parts of the batch."},
    {"global batch", "", "Images of one step over all devices."},
    {"Gustafson", "", "The serial fraction by which the weak speed-up falls short."},
    {"hand-written step", "", "Training kernels of this project in the place of autograd."},
    {"headroom", "", "Bits of int32 that no input can fill."},
    {"Holm's correction", "",
     "Makes p-values of several tests larger, so that all of them together call chance a difference in 5 % of cases."},
    {"Karp-Flatt", "", "The serial fraction that Amdahl's law needs to give the strong speed-up."},
    {"label smoothing", "", "A remedy: a share of the target is spread over all classes."},
    {"LARS", "", "A remedy: each layer's step is as large as its weights allow."},
    {"linear rate", "", "A remedy: a batch k times as large is trained with k times the learning rate."},
    {"matmul ceiling", "", "FLOP/s of one large matrix product on the same device: what it reaches at its best."},
    {"McNemar's p", "",
     "How probable so lopsided a change of right and wrong images is, if neither network were the better."},
    {"NCHW, NHWC", "nchw|nhwc", "Whether a picture's memory is ordered channel by channel, or pixel by pixel."},
    {"overlap", "", "Communication that runs while gradients are still computed."},
    {"per channel", "one a channel|per-channel|a scale for each output channel",
     "Each output channel has a scale of its own."},
    {"rank", "rank|ranks", "One of the processes that train together; each has a device."},
    {"reducer", "", "What gathers gradients into buckets and starts their all-reduces."},
    {"right to wrong", "right to wrong|turned wrong", "Images that fp32 has right and the other network has not."},
    {"serial fraction", "", "The share of the work that does not get faster with more devices."},
    {"set_epoch", "set_epoch|sampler", "Tells the sampler the epoch, so that each epoch has an order of its own."},
    {"SNR", "", "Energy of the values / energy of the error, in decibels: 6 dB are one bit."},
    {"speed-up", "", "Time on one device / time on N."},
    {"straggler", "straggler|slowest rank", "The device for which all others wait."},
    {"strong", "strong", "Scaling with the global batch fixed: each device has less to do."},
    {"TF32", "", "fp32 whose products are rounded to 10 bits, on tensor cores."},
    {"TFLOP/s", "", "10^12 floating-point operations a second."},
    {"validation accuracy", "",
     "Accuracy on training images that were held out of training. Recipes are chosen by it, not by the test accuracy."},
    {"warm-up", "warm-up|warmup",
     "Epochs before timing begins. As a remedy: the learning rate climbs in the first epochs."},
    {"weak", "weak", "Scaling with the batch per device fixed: the global batch grows."},
    {"Welch's t-test", "",
     "How probable a difference at least as large is (p) if two means are equal; their spreads may differ."},
    {"zero gamma", "", "A remedy: residual blocks begin as if they were not there."},
    {"zero point", "zero point|zero points", "The int8 value that stands for 0."},
};

void Add(absl::string_view text, std::string& all) { absl::StrAppend(&all, text, "\n"); }

template <typename Texts>
void AddAll(const Texts& texts, std::string& all) {
  for (const std::string& text : texts) {
    Add(text, all);
  }
}

void AddTable(const proto::Table& table, std::string& all) {
  Add(table.caption(), all);
  AddAll(table.column(), all);
  AddAll(table.note(), all);
  for (const proto::ColumnGroup& group : table.column_group()) {
    Add(group.title(), all);
  }
  for (const proto::Row& row : table.row()) {
    for (const proto::Cell& cell : row.cell()) {
      if (cell.provenance() == proto::PROVENANCE_UNSPECIFIED) {
        Add(cell.text(), all);
      }
    }
  }
}

void AddPlot(const proto::Plot& plot, std::string& all) {
  for (const std::string* text : {&plot.title(), &plot.x_label(), &plot.y_label(), &plot.group()}) {
    Add(*text, all);
  }
  for (const proto::Series& series : plot.series()) {
    Add(series.label(), all);
  }
  for (const proto::Mark& mark : plot.mark()) {
    Add(mark.label(), all);
  }
  AddAll(plot.tick(), all);
}

// Returns all text in lower case.
std::string TextOf(const std::vector<proto::Section>& sections) {
  std::string all;
  for (const proto::Section& section : sections) {
    Add(section.title(), all);
    AddAll(section.warning(), all);
    AddAll(section.paragraph(), all);
    for (const proto::Claim& claim : section.claim()) {
      for (const std::string* text : {&claim.asked(), &claim.text(), &claim.absent_reason()}) {
        Add(*text, all);
      }
    }
    for (const proto::Table& table : section.table()) {
      AddTable(table, all);
    }
    for (const proto::Plot& plot : section.plot()) {
      AddPlot(plot, all);
    }
  }
  absl::AsciiStrToLower(&all);
  return all;
}

// Returns true if `word` occurs as a whole word: "rank" is not in "ranked".
bool Occurs(absl::string_view word, absl::string_view text) {
  const auto is_word = [&](size_t at) {
    return at < text.size() && absl::ascii_isalnum(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + word.size())) {
      return true;
    }
  }
  return false;
}

bool Occurs(const Entry& entry, absl::string_view text) {
  if (*entry.words == '\0') {
    return Occurs(absl::AsciiStrToLower(entry.name), text);
  }
  const std::vector<absl::string_view> words = absl::StrSplit(entry.words, '|');
  return std::any_of(words.begin(), words.end(), [&](absl::string_view word) { return Occurs(word, text); });
}

}  // namespace

std::vector<proto::Term> GlossaryOf(const std::vector<proto::Section>& sections) {
  const std::string text = TextOf(sections);
  std::vector<proto::Term> terms;
  for (const Entry& entry : kEntries) {
    if (Occurs(entry, text)) {
      proto::Term& term = terms.emplace_back();
      term.set_name(entry.name);
      term.set_meaning(entry.meaning);
    }
  }
  return terms;
}

}  // namespace lockstep
