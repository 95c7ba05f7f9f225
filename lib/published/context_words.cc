// Words that distinguish numbers of one kind, and names of quantities that are not read.
#include <algorithm>
#include <iterator>

#include "lib/published/label_words.h"

namespace lockstep {
namespace {

struct Arithmetic {
  absl::string_view words, name;
};
constexpr Arithmetic kArithmetics[] = {
    {"fp64", "FP64"},
    {"fp32", "FP32"},
    {"float32", "FP32"},
    {"single precision", "FP32"},
    {"tf32", "TF32"},
    {"fp16", "FP16"},
    {"float16", "FP16"},
    {"half precision", "FP16"},
    {"bf16", "BF16"},
    {"bfloat16", "BF16"},
    {"fp8", "FP8"},
    {"int8", "INT8"},
    {"amp", "mixed precision"},
    {"mixed precision", "mixed precision"},
    {"automatic mixed precision", "mixed precision"},
};

constexpr absl::string_view kContextNames[] = {
    "model",     "models",     "network", "architecture", "dataset",   "data set",        "dtype",   "precision",
    "data type", "arithmetic", "system",  "backend",      "framework", "sequence length", "seq len", "seqlen"};

constexpr absl::string_view kUnusedQuantities[] = {"memory",
                                                   "gpu memory",
                                                   "peak memory",
                                                   "max memory",
                                                   "peak gpu memory",
                                                   "max gpu memory",
                                                   "memory usage",
                                                   "gpu memory usage",
                                                   "memory per gpu",
                                                   "memory utilization",
                                                   "gpu utilization",
                                                   "gpu utilisation",
                                                   "cpu utilization",
                                                   "vram",
                                                   "mfu",
                                                   "hfu",
                                                   "tflops",
                                                   "tflops per gpu",
                                                   "model tflop",
                                                   "cost",
                                                   "price",
                                                   "parameters",
                                                   "params",
                                                   "numparams",
                                                   "parameter count",
                                                   "gradient accumulation",
                                                   "gradient accumulation steps",
                                                   "gradaccum",
                                                   "micro batch size",
                                                   "microbatchsize",
                                                   "perplexity"};

constexpr absl::string_view kEpochSizes[] = {"training samples",  "training images",  "training examples",
                                             "train samples",     "train images",     "number of training samples",
                                             "samples per epoch", "images per epoch", "number of training images"};

template <size_t kSize>
bool Has(const absl::string_view (&all)[kSize], absl::string_view words) {
  return std::find(std::begin(all), std::end(all), words) != std::end(all);
}

}  // namespace

bool IsIdealWord(absl::string_view word) { return word == "ideal" || word == "linear" || word == "perfect"; }

std::string ArithmeticMeantBy(absl::string_view words) {
  const auto found = std::find_if(std::begin(kArithmetics), std::end(kArithmetics),
                                  [&](const Arithmetic& known) { return known.words == words; });
  return found == std::end(kArithmetics) ? "" : std::string(found->name);
}

bool NamesContext(absl::string_view words) { return Has(kContextNames, words); }

bool NamesEpochSize(absl::string_view words) { return Has(kEpochSizes, words); }

void AddContextNames(std::vector<absl::string_view>& names) {
  for (const Arithmetic& known : kArithmetics) {
    names.push_back(known.words);
  }
  names.insert(names.end(), std::begin(kContextNames), std::end(kContextNames));
  names.insert(names.end(), std::begin(kUnusedQuantities), std::end(kUnusedQuantities));
  names.insert(names.end(), std::begin(kEpochSizes), std::end(kEpochSizes));
}

bool IsUnusedQuantity(absl::string_view words) { return Has(kUnusedQuantities, words); }

}  // namespace lockstep
