// Published recipes: named values of the flags of a training. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_RECIPES_H_
#define LOCKSTEP_LIB_TRAIN_RECIPES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the words of --recipe.
std::vector<std::string> RecipeWords();

// Returns the help text of --recipe, with the flags that each recipe sets.
std::string RecipeHelp();

// Sets the flags of the recipe that the command line did not give, except those in `left_out`; an empty name sets none.
// A setting that has no place next to a given flag is left out, too: with --noaugment, for example, the cutout. May be
// called again, with the same result. Must run before the flags are read. Not thread-safe.
//
// Returns InvalidArgumentError naming --recipe if there is no recipe of this name, or if the given optimizer has
// another kind of learning rate. Returns InternalError if the program lacks a flag of the recipe.
absl::Status ApplyRecipe(const std::string& name, const std::vector<std::string>& left_out = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RECIPES_H_
