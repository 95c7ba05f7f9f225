#include "lib/networks/networks.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/flag_values.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Bounds of a network's memory: 16384x100 has 27 billion parameters, more than any GPU holds with their gradients.
constexpr int64_t kMaxWidth = 16384;
constexpr int64_t kMaxDepth = 100;

constexpr double kUnknownRate = 0.01;  // default learning rate of a network that is not in the list

std::string Word(const Network& network) {
  return network.example_size.empty() ? std::string(network.name)
                                      : absl::StrCat(network.name, ":", network.example_size);
}

const Network* Find(absl::string_view name) {
  for (const Network& network : Networks()) {
    if (network.name == name) {
      return &network;
    }
  }
  return nullptr;
}

absl::string_view NameOf(absl::string_view model) { return model.substr(0, model.find(':')); }

}  // namespace

const std::vector<Network>& Networks() {
#define LOCKSTEP_NETWORK(name, example_size, title, has_batch_norm, ends_blocks_with_batch_norm, learning_rate, \
                         min_size, make)                                                                        \
  {name, example_size, title, has_batch_norm, ends_blocks_with_batch_norm, learning_rate, min_size},
  static const auto* networks = new std::vector<Network>({
#include "lib/networks/networks.inc"
  });
#undef LOCKSTEP_NETWORK
  return *networks;
}

bool IsModelFile(absl::string_view model) { return absl::EndsWith(model, ".pt"); }

std::vector<std::string> ModelWords() {
  std::vector<std::string> words;
  for (const Network& network : Networks()) {
    words.push_back(Word(network));
  }
  return words;
}

absl::StatusOr<NetworkChoice> ParseModel(absl::string_view model) {
  if (IsModelFile(model)) {
    static constexpr Network kFile = {.name = "", .example_size = "", .title = "", .learning_rate = kUnknownRate};
    return NetworkChoice{&kFile};
  }
  const Network* const network = Find(NameOf(model));
  if (network == nullptr) {
    return CheckFlagWord("model", std::string(model), ModelWords());
  }
  NetworkChoice choice = {network};
  if (model == network->name && network->example_size.empty()) {
    return choice;
  }
  const std::vector<absl::string_view> size = absl::StrSplit(model.substr(model.find(':') + 1), 'x');
  const bool has_size = model != network->name && !network->example_size.empty() && size.size() == 2 &&
                        absl::SimpleAtoi(size[0], &choice.width) && absl::SimpleAtoi(size[1], &choice.depth);
  if (has_size && choice.width >= 1 && choice.width <= kMaxWidth && choice.depth >= 1 && choice.depth <= kMaxDepth) {
    return choice;
  }
  return absl::InvalidArgumentError(
      network->example_size.empty()
          ? absl::StrCat("--model=", model, ": ", network->name, " has no size; give --model=", network->name)
          : absl::StrCat("--model=", model, ": expected ", network->name, ":WIDTHxDEPTH with 1 to ", kMaxWidth,
                         " values in each of 1 to ", kMaxDepth, " hidden layers, such as ", Word(*network)));
}

bool HasBatchNorm(absl::string_view model) {
  const Network* const network = Find(NameOf(model));
  return network != nullptr && network->has_batch_norm;
}

std::string ModelTitle(absl::string_view model) {
  if (IsModelFile(model)) {
    return FileNameOf(model);
  }
  const absl::string_view name = NameOf(model);
  const Network* const network = Find(name);
  return network == nullptr ? std::string(model)
         : name == model    ? std::string(network->title)
                            : absl::StrCat(network->title, " ", model.substr(name.size() + 1));
}

double DefaultLearningRate(absl::string_view model) {
  const Network* const network = Find(NameOf(model));
  return network == nullptr ? kUnknownRate : network->learning_rate;
}

}  // namespace lockstep
