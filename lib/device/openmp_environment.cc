#include "lib/device/openmp_environment.h"

#include <cstdlib>
#include <regex>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// Variable with the values that libgomp accepts, as a pattern and as text.
struct OpenMpVariable {
  const char* name;
  const char* pattern;  // must match the whole value, ignoring case and spaces at the ends
  const char* expected;
};

constexpr char kSwitch[] = "true|false";
constexpr char kSwitchInWords[] = "true or false";
constexpr char kSize[] = "0*[1-9][0-9]{0,17} *[bkmg]?";
constexpr char kSizeInWords[] = "a number of kilobytes, or one with the unit B, K, M or G";

constexpr OpenMpVariable kVariables[] = {
    {"OMP_NUM_THREADS", "0*[1-9][0-9]{0,17}( *, *0*[1-9][0-9]{0,17})*", "a number of threads, 1 or more"},
    {"OMP_THREAD_LIMIT", "0*[1-9][0-9]{0,17}", "a number of threads, 1 or more"},
    {"OMP_MAX_ACTIVE_LEVELS", "[0-9]{1,18}", "a number of levels"},
    {"OMP_DYNAMIC", kSwitch, kSwitchInWords},
    {"OMP_NESTED", kSwitch, kSwitchInWords},
    {"OMP_CANCELLATION", kSwitch, kSwitchInWords},
    {"OMP_WAIT_POLICY", "active|passive", "active or passive"},
    {"OMP_PROC_BIND", "true|false|(master|primary|close|spread)( *, *(master|primary|close|spread))*",
     "true, false, or a list of primary, close and spread"},
    {"OMP_SCHEDULE", "((non)?monotonic *: *)?(static|dynamic|guided|auto)( *, *0*[1-9][0-9]{0,17})?",
     "static, dynamic, guided or auto, and a chunk size after a comma"},
    {"OMP_STACKSIZE", kSize, kSizeInWords},
    {"GOMP_STACKSIZE", kSize, kSizeInWords},
    {"OMP_PLACES", "(threads|cores|sockets|ll_caches|numa_domains)( *\\( *[1-9][0-9]{0,8} *\\))?|[!{}0-9:, -]+",
     "threads, cores, sockets, or a list of places such as {0:4},{4:4}"},
    {"GOMP_CPU_AFFINITY", "[0-9]{1,9}(-[0-9]{1,9}(:[0-9]{1,9})?)?([ ,]+[0-9]{1,9}(-[0-9]{1,9}(:[0-9]{1,9})?)?)*",
     "a list of processors such as 0 3 1-2"},
    {"GOMP_SPINCOUNT", "infinite|infinity|[0-9]{1,18} *[kmgt]?", "a number, or infinite"},
};

}  // namespace

absl::Status CheckOpenMpEnvironment() {
  for (const OpenMpVariable& variable : kVariables) {
    const char* value = std::getenv(variable.name);
    if (value == nullptr) {
      continue;
    }
    if (*value == '\0') {
      unsetenv(variable.name);
      continue;
    }
    const std::regex pattern(absl::StrCat("\\s*(", variable.pattern, ")\\s*"),
                             std::regex::ECMAScript | std::regex::icase);
    if (!std::regex_match(value, pattern)) {
      return absl::InvalidArgumentError(absl::StrCat(variable.name, "=", value, ": expected ", variable.expected,
                                                     "; correct the variable, or unset it"));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
