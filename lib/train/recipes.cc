#include "lib/train/recipes.h"

#include <algorithm>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/given_flags.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Value of one flag.
struct Setting {
  absl::string_view flag;
  absl::string_view value;
  // Flag, and its value, without which the setting has no place. Must be set before; empty: none.
  absl::string_view needs_flag = "";
  absl::string_view needs_value = "";
  std::vector<absl::string_view> replaced_by = {};  // flags that take the place of this one if they are given
  double share_of_rate = 0;  // share of --learning_rate of which `value` is an example; 0: `value` is the value
};

struct Recipe {
  absl::string_view name;
  absl::string_view source;
  std::vector<Setting> settings;
};

// Returns the recipe of airbench/baselines/train_resnet18_94.py (26 epochs) and train_resnet18_96.py (80 epochs) of
// KellerJordan/cifar10-zoo. Both sum the loss over a batch of 500, divide the rate by 500 and multiply the weight decay
// by 500; the values here are those for the mean of the loss, which give the same updates.
Recipe ShortRecipe(absl::string_view name, absl::string_view epochs) {
  return {name,
          "ResNet-18 of KellerJordan/cifar10-zoo",
          {{"batch_size", "500", "", "", {"min_batch", "factor", "max_batch"}},
           {"drop_last", "true"},
           {"epochs", epochs, "", "", {"repeats"}},
           {"optimizer", "nesterov"},
           {"learning_rate", "0.2"},
           {"momentum", "0.9"},
           {"weight_decay", "0.0005"},
           {"label_smoothing", "0"},
           {"schedule", "linear"},
           {"lr_warmup_share", "0.2", "schedule", "linear", {"lr_warmup_epochs"}},
           {"lr_warmup_start", "0.04", "schedule", "linear", {"lr_warmup_epochs", "lr_warmup_share"}, 0.2},
           {"augment", "true"},
           {"border", "reflect", "augment", "true"},
           {"flip", "random", "augment", "true"},
           {"cutout", "12", "augment", "true"},
           {"normalization", "0.4914,0.4822,0.4465/0.2470,0.2435,0.2616"},
           {"evaluate_mirrored", "true", "evaluate", "true"}}};
}

// Returns the recipe of main.py of kuangliu/pytorch-cifar.
Recipe CosineRecipe() {
  return {"cosine200",
          "kuangliu/pytorch-cifar",
          {{"batch_size", "128", "", "", {"min_batch", "factor", "max_batch"}},
           {"epochs", "200", "", "", {"repeats"}},
           {"optimizer", "sgd"},
           {"learning_rate", "0.1"},
           {"momentum", "0.9"},
           {"weight_decay", "0.0005"},
           {"label_smoothing", "0"},
           {"schedule", "cosine"},
           {"augment", "true"},
           {"border", "zero", "augment", "true"},
           {"flip", "random", "augment", "true"},
           {"cutout", "0", "augment", "true"},
           {"normalization", "cifar10"}}};
}

const std::vector<Recipe>& Recipes() {
  static const auto* recipes =
      new std::vector<Recipe>{ShortRecipe("short26", "26"), ShortRecipe("short80", "80"), CosineRecipe()};
  return *recipes;
}

absl::StatusOr<absl::CommandLineFlag*> FlagOf(absl::string_view recipe, absl::string_view name) {
  absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
  return flag != nullptr ? absl::StatusOr<absl::CommandLineFlag*>(flag)
                         : absl::InternalError(absl::StrCat("--recipe=", recipe, " sets --", name,
                                                            ", which this program does not have"));
}

absl::StatusOr<bool> HasPlace(absl::string_view recipe, const Setting& setting) {
  if (IsGiven(setting.flag) || std::any_of(setting.replaced_by.begin(), setting.replaced_by.end(), IsGiven)) {
    return false;
  }
  if (setting.needs_flag.empty()) {
    return true;
  }
  ASSIGN_OR_RETURN(const absl::CommandLineFlag* const needed, FlagOf(recipe, setting.needs_flag));
  return needed->CurrentValue() == setting.needs_value;
}

// Returns the value of the setting, for the current value of --learning_rate.
absl::StatusOr<std::string> ValueOf(absl::string_view recipe, const Setting& setting) {
  if (setting.share_of_rate == 0) {
    return std::string(setting.value);
  }
  ASSIGN_OR_RETURN(const absl::CommandLineFlag* const rate, FlagOf(recipe, "learning_rate"));
  return absl::StrCat(setting.share_of_rate * rate->TryGet<double>().value_or(0));
}

// Returns InvalidArgumentError if the given optimizer cannot have the recipe's learning rate.
absl::Status CheckRate(const std::string& recipe) {
  ASSIGN_OR_RETURN(const absl::CommandLineFlag* const optimizer, FlagOf(recipe, "optimizer"));
  const std::string word = optimizer->CurrentValue();
  if (IsGiven("learning_rate") || !IsGiven("optimizer") || word == "sgd" || word == "nesterov") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--recipe=", recipe, " has a learning rate of sgd, found --optimizer=",
                                                 word, "; give --learning_rate, too, or leave one out"));
}

}  // namespace

std::vector<std::string> RecipeWords() {
  std::vector<std::string> words;
  for (const Recipe& recipe : Recipes()) {
    words.emplace_back(recipe.name);
  }
  return words;
}

std::string RecipeHelp() {
  std::string text = "Published recipe for CIFAR-10, which sets those of its flags that are not given; empty: none.";
  for (const Recipe& recipe : Recipes()) {
    const auto add = [](std::string* out, const Setting& setting) {
      absl::StrAppend(out, "--", setting.flag, "=", setting.value);
    };
    absl::StrAppend(&text, "\n      ", recipe.name, " (", recipe.source,
                    "): ", absl::StrJoin(recipe.settings, " ", add));
  }
  return absl::StrCat(text,
                      "\n      --lr_warmup_start is a fifth of --learning_rate. scale_run leaves --batch_size out.");
}

absl::Status ApplyRecipe(const std::string& name, const std::vector<std::string>& left_out) {
  if (name.empty()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckFlagWord("recipe", name, RecipeWords()));
  const auto recipe =
      std::find_if(Recipes().begin(), Recipes().end(), [&](const Recipe& known) { return known.name == name; });
  for (const Setting& setting : recipe->settings) {
    ASSIGN_OR_RETURN(const bool has_place, HasPlace(name, setting));
    if (!has_place || std::find(left_out.begin(), left_out.end(), setting.flag) != left_out.end()) {
      continue;
    }
    ASSIGN_OR_RETURN(absl::CommandLineFlag* const flag, FlagOf(name, setting.flag));
    ASSIGN_OR_RETURN(const std::string value, ValueOf(name, setting));
    std::string error;
    if (!flag->ParseFrom(value, &error)) {
      return absl::InternalError(absl::StrCat("--recipe=", name, " sets --", setting.flag, "=", value, ": ", error));
    }
  }
  return CheckRate(name);
}

}  // namespace lockstep
