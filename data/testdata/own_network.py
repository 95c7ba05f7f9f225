"""Makes own_network.pt, a network of the user's own (docs/own_network.md), with PyTorch:
python3 data/testdata/own_network.py data/testdata/own_network.pt"""

import sys

import torch
from torch import nn


class OwnNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 5, stride=3), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.ReLU())
        self.classifier = nn.Linear(16 * 8 * 8 // 4, 10)

    def forward(self, images):
        x = nn.functional.max_pool2d(self.features(images), 2)
        return self.classifier(x.flatten(1))


torch.manual_seed(5)
torch.jit.save(torch.jit.script(OwnNetwork()), sys.argv[1])
