#include "lib/pickle/object_opcodes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/pickle/dialect.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {
namespace {

// Returns the dialect's entry for a global, or null. The dialect must list its globals.
const Global* Known(const Dialect& dialect, absl::string_view module, absl::string_view name) {
  const auto found = std::find_if(dialect.globals.begin(), dialect.globals.end(),
                                  [&](const Global& global) { return global.module == module && global.name == name; });
  return found == dialect.globals.end() ? nullptr : &*found;
}

bool MayBe(const Dialect& dialect, Global::Use use, const Value& value) {
  if (dialect.globals.empty()) {
    return true;
  }
  const Global* global = Known(dialect, value.module, value.text);
  return global != nullptr && global->use >= use;
}

absl::Status PushGlobal(MachineState& state, absl::string_view opcode, absl::string_view module,
                        absl::string_view name) {
  if (!state.dialect().globals.empty() && Known(state.dialect(), module, name) == nullptr) {
    return state.Foreign(absl::StrCat("opcode ", opcode, " ", Printable(module), " ", Printable(name)));
  }
  Value& global = state.Push(Value::kGlobalName);
  global.module = module;
  global.text = name;
  return absl::OkStatus();
}

// Returns the class or function that `callable` stands for. PyTorch before 1.6 saves the class of a module as a
// persistent id: a tuple that holds the class and its source.
const Value& Named(const Value& callable) {
  if (callable.kind == Value::kPersistent && callable.items[0]->kind == Value::kTupleKind) {
    for (const Value* item : callable.items[0]->items) {
      if (item->kind == Value::kGlobalName) {
        return *item;
      }
    }
  }
  return callable;
}

// Makes the value that describes a call: of a function by REDUCE, or of a class by NEWOBJ or NEWOBJ_EX.
absl::Status Call(Op op, MachineState& state) {
  const Dialect& dialect = state.dialect();
  if (op == kNewObjEx) {
    RETURN_IF_ERROR(state.Pop().status());  // keyword arguments
  }
  ASSIGN_OR_RETURN(const Value* arguments, state.Pop());
  ASSIGN_OR_RETURN(const Value* popped, state.Pop());
  const Value* callable = &Named(*popped);
  if (callable->kind == Value::kCall && arguments->kind == Value::kTupleKind) {
    return state.Foreign(absl::StrCat("opcode ", OpcodeName(op), " of the result of ", Describe(*callable)));
  }
  if (callable->kind != Value::kGlobalName || arguments->kind != Value::kTupleKind) {
    return state.Broken("a call of something that cannot be called");
  }
  if (!MayBe(dialect, Global::kCalled, *callable)) {
    return state.Foreign(absl::StrCat("opcode ", OpcodeName(op), " of ", Describe(*callable)));
  }
  if (dialect.dict_class != nullptr && IsNameOf(*callable, *dialect.dict_class) && arguments->items.empty()) {
    state.Push(Value::kDict);
    return absl::OkStatus();
  }
  Value& call = state.Push(Value::kCall);
  call.module = callable->module;
  call.text = callable->text;
  call.arguments = arguments;
  return absl::OkStatus();
}

// Sets the state of an object. A dict's state (OrderedDict.__dict__: _metadata, the versions of the modules) is
// dropped; weights do not need it.
absl::Status Build(MachineState& state) {
  ASSIGN_OR_RETURN(const Value* given, state.Pop());
  if (state.Top() == nullptr) {
    return state.Broken("an instruction lacks its operand");
  }
  Value& target = *state.Top();
  if (target.kind == Value::kDict && state.dialect().dict_class != nullptr) {
    return absl::OkStatus();
  }
  if (!MayBuild(state.dialect(), target)) {
    return state.Foreign(absl::StrCat("opcode BUILD on ", Describe(target)));
  }
  target.state = given;
  return absl::OkStatus();
}

}  // namespace

bool MayBuild(const Dialect& dialect, const Value& call) {
  return call.kind == Value::kCall && MayBe(dialect, Global::kBuilt, call);
}

absl::Status StepObject(Op op, MachineState& state) {
  switch (op) {
    case kGlobal: {
      ASSIGN_OR_RETURN(const absl::string_view module, state.ReadLine());
      ASSIGN_OR_RETURN(const absl::string_view name, state.ReadLine());
      return PushGlobal(state, "GLOBAL", module, name);
    }
    case kStackGlobal: {
      ASSIGN_OR_RETURN(const Value* name, state.Pop());
      ASSIGN_OR_RETURN(const Value* module, state.Pop());
      if (name->kind != Value::kString || module->kind != Value::kString) {
        return state.Broken("STACK_GLOBAL of something that is not a name");
      }
      return PushGlobal(state, "STACK_GLOBAL", module->text, name->text);
    }
    case kReduce:
    case kNewObj:
    case kNewObjEx:
      return Call(op, state);
    case kBuild:
      return Build(state);
    default: {  // kBinPersId
      ASSIGN_OR_RETURN(const Value* id, state.Pop());
      state.Push(Value::kPersistent).items = {id};
      return absl::OkStatus();
    }
  }
}

}  // namespace lockstep::pickle
