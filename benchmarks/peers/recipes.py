"""Recipes of train_sweep --recipe for the PyTorch baseline, and the comparison of a sweep's record with one of them.

A recipe has the fields of TrainingSpec (lib/proto/sweep.proto) that it sets, plus batch_size and epochs. The values are
those of lib/train/recipes.cc; benchmarks/recipe.py refuses to compare runs whose record has others.
"""

import math

NORMALIZATION = {"mean": [0.4914, 0.4822, 0.4465], "std": [0.2470, 0.2435, 0.2616]}

SHORT = {
    "model": "resnet18", "batch_size": 500, "drop_last": True, "optimizer": "NESTEROV", "learning_rate": 0.2,
    "momentum": 0.9, "weight_decay": 5e-4, "schedule": "LINEAR", "lr_warmup_share": 0.2, "lr_warmup_start": 0.04,
    "augment": True, "border": "REFLECT", "flip": "RANDOM", "cutout": 12, "normalization": NORMALIZATION,
    "evaluate_mirrored": True,
}

RECIPES = {"short26": {**SHORT, "epochs": 26}, "short80": {**SHORT, "epochs": 80}}

# Meaning of an enum that a record does not set.
UNSET = {"optimizer": "SGD", "schedule": "CONSTANT", "border": "ZERO", "flip": "RANDOM"}

# Settings that the baseline does not have: a record must have the default of each.
UNUSED = {
    "accumulate": (0, 1), "lars": (0,), "clip_norm": (0,), "label_smoothing": (0,), "zero_gamma": (False,),
    "no_set_epoch": (False,), "validation_images": (0,), "lr_warmup_epochs": (0,), "init_sha256": ("",),
}


def rates(recipe, steps_per_epoch):
    """Returns the learning rate of each step: linear up to the peak, then linear to 0 (LINEAR of lib/train/schedule.h).

    The rate of the step after the last one, 0, is the last value.
    """
    steps = recipe["epochs"] * steps_per_epoch
    peak, start = recipe["learning_rate"], recipe["lr_warmup_start"]
    warmup = math.floor(recipe["lr_warmup_share"] * steps)
    return [start + (peak - start) * step / warmup if step < warmup else peak * (steps - step) / (steps - warmup)
            for step in range(steps + 1)]


def same(value, wanted):
    """Returns whether a record's value is `wanted`; numbers may differ by the rounding of fp32."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(same(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(value, (list, tuple)) and len(value) == len(wanted) and all(map(same, value, wanted))
    if isinstance(wanted, float):
        return isinstance(value, (int, float)) and math.isclose(value, wanted, rel_tol=1e-6)
    return value == wanted


def differences(recipe, spec):
    """Returns a text for each setting of a SweepSpec, as JSON, that is not the recipe's; [] if all are."""
    training = dict(spec["training"])
    training["batch_size"] = spec["batch_size"][0] if len(spec["batch_size"]) == 1 else spec["batch_size"]
    training["epochs"] = int(training.get("warmup_epochs", 0)) + int(training.get("repeats", 0))
    for name, meaning in UNSET.items():
        if training.get(name, "").endswith("UNSPECIFIED") or not training.get(name):
            training[name] = meaning
    found = [f"{name}: {training.get(name)} instead of {wanted}" for name, wanted in recipe.items()
             if not same(training.get(name), wanted)]
    for name, allowed in UNUSED.items():
        value = training.get(name) or allowed[0]
        if value not in (*allowed, *map(str, allowed)):
            found.append(f"{name}: {value} instead of {allowed[0]}")
    return found
