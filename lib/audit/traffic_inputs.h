// Where the seconds of a bandwidth come from, and what the document prints on the way to its bytes.
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
  Sources elements;   // columns of what is sent, in numbers
  Sources gigabytes;  // and in GB
};

// Hundreds of conventions have the same inputs.
using SharedInputs = std::shared_ptr<const TrafficInputs>;

// Every communication time of the document; where numbers of `quantity` in `table` lack one, the epochs' times, too.
std::vector<SharedInputs> AllTrafficInputs(const Document& document, proto::PublishedQuantity quantity, int table);

// Adds a part of a formula to a convention: its words (where it multiplies), its departures, and what is wrong with it.
void AddChoice(const Choice& choice, bool multiplies, Convention& convention);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRAFFIC_INPUTS_H_
