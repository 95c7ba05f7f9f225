"""ResNet-18 of kuangliu/pytorch-cifar in JAX, and its augmented batches, for resnet18_jax.py.

NHWC. Products are computed in the dtype that the caller names; batch norm's statistics and the loss are in fp32.
"""

import jax
import jax.numpy as jnp
import recipes
from jax import lax

WIDTHS = [(64, 1), (128, 2), (256, 2), (512, 2)]  # output channels and stride of each layer's two blocks
SIDE, PADDING = 32, 4

uniform = jax.nn.initializers.variance_scaling(1 / 3, "fan_in", "uniform")  # PyTorch's kaiming_uniform(a=sqrt(5))


def convolution(key, inputs, outputs, size):
    return uniform(key, (size, size, inputs, outputs), jnp.float32)


def batch_norm(channels):
    return {"scale": jnp.ones(channels), "shift": jnp.zeros(channels)}


def running(channels):
    return {"mean": jnp.zeros(channels), "var": jnp.ones(channels)}


def initial(key):
    """Returns the weights and the running statistics of batch norm."""
    keys = iter(jax.random.split(key, 64))
    weights = {"conv1": convolution(next(keys), 3, 64, 3), "bn1": batch_norm(64), "blocks": []}
    state = {"bn1": running(64), "blocks": []}
    inputs = 64
    for outputs, first_stride in WIDTHS:
        for stride in (first_stride, 1):
            block = {"conv1": convolution(next(keys), inputs, outputs, 3), "bn1": batch_norm(outputs),
                     "conv2": convolution(next(keys), outputs, outputs, 3), "bn2": batch_norm(outputs)}
            stats = {"bn1": running(outputs), "bn2": running(outputs)}
            if stride != 1 or inputs != outputs:
                block |= {"conv3": convolution(next(keys), inputs, outputs, 1), "bn3": batch_norm(outputs)}
                stats["bn3"] = running(outputs)
            weights["blocks"].append(block)
            state["blocks"].append(stats)
            inputs = outputs
    bound = 1 / 512**0.5
    weights["linear"] = jax.random.uniform(next(keys), (512, 10), minval=-bound, maxval=bound)
    weights["bias"] = jax.random.uniform(next(keys), (10,), minval=-bound, maxval=bound)
    return weights, state


def convolve(x, w, stride, dtype):
    pad = (w.shape[0] - 1) // 2
    return lax.conv_general_dilated(x, w.astype(dtype), (stride, stride), [(pad, pad), (pad, pad)],
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalize(x, weights, stats):
    """Returns the batch norm of x in fp32, and its running statistics."""
    wide = x.astype(jnp.float32)
    mean = wide.mean((0, 1, 2))
    var = jnp.maximum((wide * wide).mean((0, 1, 2)) - mean * mean, 0)
    count = x.size // x.shape[-1]
    kept = {"mean": 0.9 * stats["mean"] + 0.1 * lax.stop_gradient(mean),
            "var": 0.9 * stats["var"] + 0.1 * lax.stop_gradient(var) * (count / (count - 1))}
    factor = weights["scale"] * lax.rsqrt(var + 1e-5)
    return (wide * factor + (weights["shift"] - mean * factor)), kept


def network(weights, state, images, dtype):
    kept = {"blocks": []}
    x = convolve(images.astype(dtype), weights["conv1"], 1, dtype)
    x, kept["bn1"] = normalize(x, weights["bn1"], state["bn1"])
    x = jax.nn.relu(x).astype(dtype)
    strides = [stride for _, first_stride in WIDTHS for stride in (first_stride, 1)]
    for block, stats, stride in zip(weights["blocks"], state["blocks"], strides):
        now = {}
        y, now["bn1"] = normalize(convolve(x, block["conv1"], stride, dtype), block["bn1"], stats["bn1"])
        y = jax.nn.relu(y).astype(dtype)
        y, now["bn2"] = normalize(convolve(y, block["conv2"], 1, dtype), block["bn2"], stats["bn2"])
        around = x.astype(jnp.float32)
        if "conv3" in block:
            around, now["bn3"] = normalize(convolve(x, block["conv3"], stride, dtype), block["bn3"], stats["bn3"])
        x = jax.nn.relu(y + around).astype(dtype)
        kept["blocks"].append(now)
    x = x.astype(jnp.float32).mean((1, 2)).astype(dtype)
    return (x @ weights["linear"].astype(dtype)).astype(jnp.float32) + weights["bias"], kept


def loss_of(weights, state, images, labels, dtype):
    logits, kept = network(weights, state, images, dtype)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
    return -chosen.mean(), kept


def places_and_keys(key, images, steps, batch, rank, ranks):
    """Returns what one rank's augmented() needs in each step of an epoch: the images' places and a key for the draws.

    `key` must be the same on all ranks. The order is a random permutation of the images, of which each rank has a part.
    """
    order = jax.random.permutation(key, images)[:steps * batch * ranks].reshape(steps, ranks, batch)
    return order[:, rank], jax.random.split(jax.random.fold_in(key, rank), steps)


def augmented(pixels, labels, places, key):
    """Returns the images at `places`, each with its own crop from black padding and flip, normalized, and their labels.

    `pixels`: uint8 (n, 32, 32, 3). The rules are those of torchvision and of train_sweep's default.
    """
    count = places.shape[0]
    down, right, flip = (jax.random.randint(one, (count, 1), 0, below)
                         for one, below in zip(jax.random.split(key, 3), (2 * PADDING + 1, 2 * PADDING + 1, 2)))
    at = jnp.arange(SIDE)
    rows, columns = at + down - PADDING, at + right - PADDING
    inside = ((rows >= 0) & (rows < SIDE))[:, :, None] & ((columns >= 0) & (columns < SIDE))[:, None, :]
    columns = jnp.where(flip == 1, SIDE - 1 - columns, columns)
    rows, columns = jnp.clip(rows, 0, SIDE - 1), jnp.clip(columns, 0, SIDE - 1)
    values = pixels[places[:, None, None], rows[:, :, None], columns[:, None, :]].astype(jnp.float32)
    values = values * inside[..., None]
    mean, std = (jnp.array(recipes.NORMALIZATION[name]) for name in ("mean", "std"))
    return (values / 255 - mean) / std, labels[places]
