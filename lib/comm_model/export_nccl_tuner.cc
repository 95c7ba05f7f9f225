// Exports measured all-reduce times as rules for NCCL's example tuner plugin.
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "lib/comm_model/export.h"

namespace lockstep {
namespace {

struct Choice {
  std::string algorithm;
  std::string protocol;
  double seconds = 0;
  int candidates = 0;
};

bool Same(const Choice& a, const Choice& b) { return a.algorithm == b.algorithm && a.protocol == b.protocol; }

using Choices = std::map<double, Choice>;  // fastest choice per size

// Returns the fastest choices by ranks. Placements are not mixed. Training reduces in place, so the caller tries
// in-place runs first.
std::map<uint32_t, Choices> FastestChoices(const std::vector<proto::CommModelRecord>& records, bool in_place) {
  std::map<uint32_t, Choices> fastest;
  for (const proto::CommModelRecord& record : records) {
    const proto::AllReduceFit& fit = record.all_reduce_fit();
    if (!record.has_all_reduce_fit() || fit.in_place() != in_place || fit.nccl_algorithm().empty() ||
        fit.nccl_protocol().empty()) {
      continue;
    }
    for (const proto::AllReduceFitPoint& point : fit.point()) {
      Choice& choice = fastest[fit.ranks()][point.size_bytes()];
      if (choice.candidates == 0 || point.seconds() < choice.seconds) {
        choice = {fit.nccl_algorithm(), fit.nccl_protocol(), point.seconds(), choice.candidates};
      }
      ++choice.candidates;
    }
  }
  return fastest;
}

std::string Rule(double from, double to, const Choice& choice, uint32_t ranks) {
  // Channels -1: NCCL's own number; nodes, pipelined operations and registration: any.
  return absl::StrCat("allreduce,", static_cast<uint64_t>(from), ",", static_cast<uint64_t>(to), ",", choice.algorithm,
                      ",", choice.protocol, ",-1,-1,", ranks, ",-1,-1\n");
}

// Adjacent sizes with the same choice share one rule. The border between two choices is the geometric mean of their
// sizes.
std::string Rules(uint32_t ranks, const Choices& choices) {
  std::string rules;
  double from = -1;
  const Choice* before = nullptr;
  double size_before = 0;
  for (const auto& [size, choice] : choices) {
    if (choice.candidates < 2) {
      continue;
    }
    if (before != nullptr && !Same(*before, choice)) {
      const double border = std::floor(std::sqrt(size_before * size));
      rules += Rule(from, border, *before, ranks);
      from = border + 1;
    }
    from = before == nullptr ? size : from;
    before = &choice;
    size_before = size;
  }
  return before == nullptr ? rules : rules + Rule(from, size_before, *before, ranks);
}

std::string AllRules(const std::map<uint32_t, Choices>& fastest) {
  std::string rules;
  for (const auto& [ranks, choices] : fastest) {
    rules += Rules(ranks, choices);
  }
  return rules;
}

}  // namespace

absl::StatusOr<std::string> ExportNcclTuner(const std::vector<proto::CommModelRecord>& records) {
  std::string rules = AllRules(FastestChoices(records, true));
  if (rules.empty()) {
    rules = AllRules(FastestChoices(records, false));
  }
  if (rules.empty()) {
    return absl::InvalidArgumentError(
        "--format=nccl_tuner compares algorithms and protocols; give --all_reduce at least two files of nccl-tests -J, "
        "each run with its own NCCL_ALGO and NCCL_PROTO");
  }
  return absl::StrCat(
      "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n", rules);
}

}  // namespace lockstep
