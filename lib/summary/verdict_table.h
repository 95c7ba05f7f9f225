// Decision tables of the summary's verdicts. A table is a list of rules; the first rule that applies gives the verdict,
// and the last one always applies. Rules that say "Not decided: ..." cover what the numbers do not show.
#ifndef LOCKSTEP_LIB_SUMMARY_VERDICT_TABLE_H_
#define LOCKSTEP_LIB_SUMMARY_VERDICT_TABLE_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// --- Thresholds ---

// Number of seeds or timed epochs from which on there is a spread.
inline constexpr size_t kMinRepeats = 2;

// Efficiency (speed-up divided by the number of devices) from which on scaling is called almost ideal: 5 % is about
// twice the difference of 2.5 % between two processes on one GPU (benchmarks/results/README.md).
inline constexpr double kAlmostIdeal = 0.95;
// Efficiency of the usual rule of thumb for good scaling: a fifth of the devices is lost.
inline constexpr double kGoodScaling = 0.8;
// Efficiency below which half of the devices would do the same work.
inline constexpr double kPoorScaling = 0.5;
// Physical limit: N devices do at most N times the work of one. Caches of a CPU and the scatter between processes allow
// a little more; above this the time of one device is suspect.
inline constexpr double kMaxEfficiency = 1.05;

// Shares of an epoch spent waiting for communication. Below 5 % free communication would save less than about twice the
// difference between two processes (kAlmostIdeal); from a fifth on, a faster exchange pays more than another device.
inline constexpr double kLittleWaiting = 0.05;
inline constexpr double kSomeWaiting = 0.2;

// Share of the bytes of a step below which everything except gradients is negligible: a tenth of the time that
// kLittleWaiting calls little.
inline constexpr double kNegligibleBytes = 0.01;

// Probability below which a difference is not taken for chance, as in lib/lab_records/seed_difference.h.
inline constexpr double kSignificance = 0.05;
// Loss of accuracy that a test set must be able to show before "no loss" is said: one percentage point.
inline constexpr double kShownLoss = 0.01;

// --- Tables ---

struct CardVerdict {
  std::string rule;  // name of the rule that applied, for tests
  std::string text;  // one sentence, which starts with the answer
  proto::AnswerState state = proto::NO_ANSWER;
};

template <typename Facts>
struct VerdictRule {
  const char* name;
  bool (*applies)(const Facts& facts);
  proto::AnswerState state;
  std::string (*sentence)(const Facts& facts);
};

// Returns the verdict of the first rule that applies. The last rule must apply to all facts.
template <typename Facts>
CardVerdict FirstVerdict(const std::vector<VerdictRule<Facts>>& rules, const Facts& facts) {
  for (const VerdictRule<Facts>& rule : rules) {
    if (rule.applies(facts)) {
      return {rule.name, rule.sentence(facts), rule.state};
    }
  }
  return {};
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_VERDICT_TABLE_H_
