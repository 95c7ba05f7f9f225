#include "lib/record/grown_run.h"

#include <algorithm>
#include <string>

namespace lockstep {

bool IsGrownFrom(const proto::Header& then, const proto::Header& planned) {
  const auto is_planned = [&planned](const std::string& point) {
    return std::find(planned.point().begin(), planned.point().end(), point) != planned.point().end();
  };
  return !planned.points_key().empty() && then.points_key() == planned.points_key() &&
         then.point_size() < planned.point_size() && std::all_of(then.point().begin(), then.point().end(), is_planned);
}

}  // namespace lockstep
