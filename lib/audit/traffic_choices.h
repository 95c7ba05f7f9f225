// The parts of a bandwidth's formula, and the ways in which people choose each.
#ifndef LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_
#define LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/audit/document.h"

namespace lockstep {

// One way to choose one part of the formula.
struct Choice {
  std::string text;  // as it stands in the formula; empty: a factor of 1 that is not written
  int departures = 0;
  std::vector<std::string> flags;  // what is wrong with it (lib/audit/flags.h)
  std::function<double(const TablePlace&)> factor;
  bool contradicts = false;  // something that the document states
};

// 2(N-1)/N, what an all-reduce of X makes the busiest device send (Patarasuk and Yuan 2009), or nothing.
std::vector<Choice> AllReduceFactors();

// X, gradient elements: what the document states, what its code trains, then the nets that this lab is done with.
std::vector<Choice> ParameterCounts(const Document& document);

// Bytes of an element, or none, or its bits.
std::vector<Choice> ItemSizes();

// Iterations of an epoch on N devices, as a quotient and as the whole number that a loader makes of it, or one.
// Infinite at a place without a batch, but for one.
std::vector<Choice> Iterations(const Document& document);

// Bytes of the printed unit: 1e9 or 2^30.
std::vector<Choice> Gigabytes(const proto::Claims& claims);

// Nothing to choose: bytes per second that are 1 % of the stated peak.
std::vector<Choice> ShareOfPeak(const proto::Claims& claims);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRAFFIC_CHOICES_H_
