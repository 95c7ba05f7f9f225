// Sources of a bandwidth's seconds, and the printed intermediates of its bytes.
#ifndef LOCKSTEP_LIB_AUDIT_TRAFFIC_INPUTS_H_
#define LOCKSTEP_LIB_AUDIT_TRAFFIC_INPUTS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/traffic_choices.h"

namespace lockstep {

struct TrafficInputs {
  std::string text;  // "T_comm of Q3"
  std::function<std::optional<Recomputed>(const TablePlace&)> seconds;
  Sources elements;   // columns of traffic in elements
  Sources gigabytes;  // columns of traffic in GB
  Sources megabytes;  // columns of traffic in MB or MiB
};

// Shared, because hundreds of conventions have the same inputs.
using SharedInputs = std::shared_ptr<const TrafficInputs>;

// Returns all communication times of the document and, if some number of `quantity` in `table` has none, the epoch
// times.
std::vector<SharedInputs> AllTrafficInputs(const Document& document, proto::PublishedQuantity quantity, int table);

// Adds a part of a formula to a convention: its departures, its contradiction and its flags. AddFactor also adds its
// text, which multiplies the formula.
void AddChoice(const Choice& choice, Convention& convention);
void AddFactor(const Choice& choice, Convention& convention);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRAFFIC_INPUTS_H_
