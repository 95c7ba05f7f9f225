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
     "|mean| + 3 standard deviations of the values: a range without the rarest values, so that int8 steps are finer."},
    {"ablation", "ablation|reducer without all-reduces",
     "The same training without its all-reduces; the time that it saves is their cost."},
    {"accumulator", "", "Int32 sum of int8 products, before it is converted to int8."},
    {"all-reduce", "", "Operation in which every device gives an array and gets the sum of all arrays."},
    {"alpha, beta", "alpha", "Time of an all-reduce = alpha + beta x bytes: a fixed part and a part per byte."},
    {"autograd", "", "LibTorch's automatic computation of gradients, layer by layer."},
    {"batch per device", "",
     "Images that one device processes in one step; the global batch is this x the number of devices."},
    {"bf16", "", "16-bit numbers with the range of fp32 and 8 bits of precision."},
    {"bucket", "bucket|buckets",
     "Gradients of several layers that are sent together, once the last of them is computed."},
    {"bus bandwidth", "",
     "2(N-1)/N x bytes / time of an all-reduce: the rate of each link, comparable between numbers of devices."},
    {"calibration", "calibration|calibration images", "Images on which the ranges of activations are measured."},
    {"clipping", "", "A remedy: a gradient whose norm exceeds a limit is scaled down to the limit."},
    {"CUDA graph", "", "A step that is recorded once and then replayed by one launch."},
    {"DataParallel", "dataparallel|data parallel",
     "One process that copies the network to all devices in each step and collects their gradients."},
    {"DDP", "",
     "Distributed data parallel: a process for each device; gradients are summed by all-reduce during backward."},
    {"efficiency", "", "Speed-up / number of devices; of epochs unless steps are named."},
    {"epoch", "", "One pass over all training images."},
    {"exposed", "",
     "Time from the end of backward to the end of the last all-reduce, by events, summed over an epoch, of the rank "
     "with the largest sum."},
    {"fp32", "", "32-bit floating-point numbers."},
    {"fused step", "", "Training step by this project's own kernels instead of autograd."},
    {"ghost batch norm", "", "A remedy: batch norm computes its statistics over parts of the batch."},
    {"global batch", "", "Images of one step on all devices."},
    {"Gustafson", "", "Serial fraction that Gustafson's law needs to give the weak speed-up."},
    {"headroom", "", "Bits of int32 that no input can use."},
    {"Holm's correction", "",
     "Increases the p-values of several tests, so that all tests together take chance for a difference in at most 5 % "
     "of cases."},
    {"Karp-Flatt", "", "Serial fraction that Amdahl's law needs to give the strong speed-up."},
    {"label smoothing", "", "A remedy: a part of the target probability is spread over all classes."},
    {"LARS", "", "A remedy: each layer's step is proportional to the norm of its weights."},
    {"linear rate", "", "A remedy: k times the learning rate for k times the batch."},
    {"matmul ceiling", "", "FLOP/s of one large matrix product on the same device."},
    {"McNemar's p", "",
     "Probability of a difference at least as large between the images gained and lost, if neither network is better."},
    {"NCHW, NHWC", "nchw|nhwc", "Memory order of images: channel by channel (NCHW) or pixel by pixel (NHWC)."},
    {"overlap", "overlap|overlapped", "Communication while gradients are still being computed."},
    {"per channel", "one a channel|per-channel|a scale for each output channel",
     "Each output channel has a scale of its own."},
    {"rank", "rank|ranks", "One of the processes that train together, each with its own device."},
    {"reducer", "", "Component that collects gradients into buckets and starts their all-reduces."},
    {"right to wrong", "right to wrong|turned wrong", "Images that only the fp32 network classifies correctly."},
    {"serial fraction", "", "Share of the work that more devices do not speed up."},
    {"set_epoch", "set_epoch|sampler", "Gives the sampler the epoch number, so that each epoch has its own order."},
    {"SNR", "", "Energy of the values / energy of the error, in decibels; 6 dB are one bit."},
    {"speed-up", "",
     "Time on one device / time on N devices; of epochs, data loading included, unless steps are named."},
    {"straggler", "straggler|slowest rank", "Device for which all others wait."},
    {"strong", "strong", "Scaling with a fixed global batch: each device has less work."},
    {"TF32", "", "fp32 on tensor cores, with inputs of products rounded to 10 bits."},
    {"TFLOP/s", "", "10^12 floating-point operations per second."},
    {"validation accuracy", "",
     "Accuracy on held-out training images. Recipes are chosen by it, not by the test accuracy."},
    {"warm-up", "warm-up|warmup",
     "Epochs before timing begins. As a remedy: the learning rate increases during the first epochs."},
    {"weak", "weak", "Scaling with a fixed batch per device: the global batch grows."},
    {"Welch's t-test", "",
     "Test of two means whose spreads may differ; p is the probability of a difference at least as large if the means "
     "are equal."},
    {"zero gamma", "", "A remedy: the residual branches of all blocks begin at 0."},
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
      for (const proto::PartReference& reference : claim.reference()) {
        Add(reference.what(), all);
        Add(reference.title(), all);
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
