"""The networks of Lockstep as Python users write them: kuangliu/pytorch-cifar's ResNets, torchvision's, the lab's Net,
an MLP, and a vision transformer like timm's. They share no line with Lockstep's. All have ten classes by default."""

import collections
import functools

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 32  # images of a batch


class BasicBlock(nn.Module):
    def __init__(self, in_planes, planes, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, planes, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(planes))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class PlainBlock(nn.Module):
    """BasicBlock without batch norm, with biases."""

    def __init__(self, in_planes, planes, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != planes:
            self.shortcut = nn.Sequential(nn.Conv2d(in_planes, planes, kernel_size=1, stride=stride))

    def forward(self, x):
        return F.relu(self.conv2(F.relu(self.conv1(x))) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, blocks=(2, 2, 2, 2), block=BasicBlock, classes=10):
        super().__init__()
        self.in_planes = 64
        self.conv1 = nn.Conv2d(3, 64, kernel_size=3, stride=1, padding=1, bias=block is PlainBlock)
        self.bn1 = nn.Sequential() if block is PlainBlock else nn.BatchNorm2d(64)
        self.layer1 = self._make_layer(block, 64, blocks[0], 1)
        self.layer2 = self._make_layer(block, 128, blocks[1], 2)
        self.layer3 = self._make_layer(block, 256, blocks[2], 2)
        self.layer4 = self._make_layer(block, 512, blocks[3], 2)
        self.linear = nn.Linear(512, classes)

    def _make_layer(self, block, planes, count, stride):
        layers = []
        for i in range(count):
            layers.append(block(self.in_planes, planes, stride if i == 0 else 1))
            self.in_planes = planes
        return nn.Sequential(*layers)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.linear(F.avg_pool2d(x, 4).view(x.size(0), -1))


class TorchvisionBlock(nn.Module):
    def __init__(self, in_planes, planes, stride, downsample):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += identity
        return self.relu(out)


class TorchvisionResNet18(nn.Module):
    """torchvision.models.resnet18(num_classes=classes)."""

    def __init__(self, classes=10):
        super().__init__()
        self.in_planes = 64
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(64, 1)
        self.layer2 = self._make_layer(128, 2)
        self.layer3 = self._make_layer(256, 2)
        self.layer4 = self._make_layer(512, 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def _make_layer(self, planes, stride):
        downsample = None
        if stride != 1:
            downsample = nn.Sequential(nn.Conv2d(self.in_planes, planes, kernel_size=1, stride=stride, bias=False),
                                       nn.BatchNorm2d(planes))
        first = TorchvisionBlock(self.in_planes, planes, stride, downsample)
        self.in_planes = planes
        return nn.Sequential(first, TorchvisionBlock(planes, planes, 1, None))

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Net(nn.Module):
    def __init__(self, bias, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5, bias=bias)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5, bias=bias)
        self.fc1 = nn.Linear(16 * 5 * 5, 120, bias=bias)
        self.fc2 = nn.Linear(120, 84, bias=bias)
        self.fc3 = nn.Linear(84, classes, bias=bias)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class Mlp(nn.Module):
    def __init__(self, width, depth, classes=10):
        super().__init__()
        for i in range(depth + 1):
            layer = nn.Linear(3 * 32 * 32 if i == 0 else width, classes if i == depth else width)
            setattr(self, f"fc{i + 1}", layer)

    def forward(self, x):
        x = torch.flatten(x, 1)
        *hidden, last = self.children()
        for layer in hidden:
            x = F.relu(layer(x))
        return last(x)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class TransformerMlp(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class TransformerBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=1e-6)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = TransformerMlp(dim)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbed(nn.Module):
    def __init__(self, dim, patch):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class VitTiny(nn.Module):
    """timm's VisionTransformer with class_token=False; the head reads the mean of the normalized tokens."""

    def __init__(self, dim=192, depth=6, heads=3, patch=4, classes=10):
        super().__init__()
        self.patch_embed = PatchEmbed(dim, patch)
        self.pos_embed = nn.Parameter(torch.empty(1, (32 // patch) ** 2, dim))
        self.blocks = nn.Sequential(*(TransformerBlock(dim, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.head = nn.Linear(dim, classes)
        nn.init.trunc_normal_(self.pos_embed, std=0.02)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)

    def forward(self, x):
        x = self.blocks(self.patch_embed(x) + self.pos_embed)
        return self.head(self.norm(x).mean(dim=1))


# A network, as a function that may be given `classes`; the number of its layers one after another; and the terms of the
# longest sum: a weight gradient's, over the batch and the layer's pixels or tokens, or a layer's own.
Case = collections.namedtuple("Case", ["make", "depth", "longest_sum"])

NETWORKS = {
    "resnet18": Case(ResNet, 18, BATCH * 32 * 32),
    "resnet18_torchvision": Case(TorchvisionResNet18, 18, BATCH * 16 * 16),
    "resnet18_plain": Case(functools.partial(ResNet, block=PlainBlock), 18, BATCH * 32 * 32),
    "resnet34": Case(functools.partial(ResNet, blocks=(3, 4, 6, 3)), 34, BATCH * 32 * 32),
    "lenet5": Case(functools.partial(Net, bias=False), 5, BATCH * 28 * 28),
    "lenet5_bias": Case(functools.partial(Net, bias=True), 5, BATCH * 28 * 28),
    "mlp:256x3": Case(functools.partial(Mlp, 256, 3), 4, 3 * 32 * 32),
    # The patches, six blocks of six sums each, and the head.
    "vit_tiny": Case(VitTiny, 1 + 6 * 6 + 1, BATCH * 64),
}
