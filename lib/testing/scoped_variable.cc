#include "lib/testing/scoped_variable.h"

#include <cstdlib>

namespace lockstep::testing {

ScopedVariable::ScopedVariable(const std::string& name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name_.c_str()); before != nullptr) {
    before_ = before;
  }
  setenv(name_.c_str(), value.c_str(), /*overwrite=*/1);
}

ScopedVariable::~ScopedVariable() {
  if (before_.has_value()) {
    setenv(name_.c_str(), before_->c_str(), /*overwrite=*/1);
  } else {
    unsetenv(name_.c_str());
  }
}

}  // namespace lockstep::testing
