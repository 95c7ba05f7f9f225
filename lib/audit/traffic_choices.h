// Parts of a bandwidth's formula, and the ways in which people choose each part.
#ifndef LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_
#define LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/audit/document.h"

namespace lockstep {

// One way to choose one part of the formula.
struct Choice {
  std::string text;  // text in the formula; empty: a factor of 1 that is not written
  int departures = 0;
  std::vector<std::string> flags;  // errors of the choice (lib/audit/flags.h)
  std::function<double(const TablePlace&)> factor;
  bool contradicts = false;  // true: contradicts a statement of the document
  std::string meaning = {};  // name that choices of one meaning share; empty: `text`
};

// Returns the meaning of a choice.
inline const std::string& MeaningOf(const Choice& choice) {
  return choice.meaning.empty() ? choice.text : choice.meaning;
}

// Returns the factor of the busiest device's traffic in an all-reduce, 2(N-1)/N (Patarasuk and Yuan 2009), and no
// factor.
std::vector<Choice> AllReduceFactors();

// Returns the same and a factor of 2, the limit of 2(N-1)/N for many devices, by which volumes in MB are often given.
std::vector<Choice> AllReduceFactorsOfVolume();

// Returns counts of gradient elements (X): stated by the document, trained by its code, and of networks common in this
// lab.
std::vector<Choice> ParameterCounts(const Document& document);

// Returns the sizes of an element: in bytes, no factor, in bits.
std::vector<Choice> ItemSizes();

// Returns the iterations of an epoch on N devices as a quotient and as the whole numbers that a loader makes of it, and
// one iteration. All but the last are infinite at a place without a batch.
std::vector<Choice> Iterations(const Document& document);

// Returns the bytes of the printed unit: 1e9 or 2^30.
std::vector<Choice> Gigabytes(const proto::Claims& claims);

// Returns the bytes of a printed MB or, if `binary_label`, of a printed MiB: first those of its label, then those of
// the other unit.
std::vector<Choice> Megabytes(bool binary_label);

// Returns one choice: the bytes per second that are 1 % of the stated peak.
std::vector<Choice> ShareOfPeak(const proto::Claims& claims);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_
