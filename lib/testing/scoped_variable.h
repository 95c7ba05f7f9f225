// Environment variable that has another value during a part of a test.
#ifndef LOCKSTEP_LIB_TESTING_SCOPED_VARIABLE_H_
#define LOCKSTEP_LIB_TESTING_SCOPED_VARIABLE_H_

#include <optional>
#include <string>

namespace lockstep::testing {

// Sets the variable, and restores what it was on destruction. No other thread may read the environment meanwhile.
class ScopedVariable {
 public:
  ScopedVariable(const std::string& name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const std::string name_;
  std::optional<std::string> before_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_SCOPED_VARIABLE_H_
