"""An output that would destroy an input, that is lost, or that cannot be."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import ToolCase, run_tests


class OutputIsInput(ToolCase):
    def test_a_data_set(self):
        before = self.dataset.read_bytes()
        self.refused(2, "train_sweep", f"--input={self.dataset}", f"--output={self.dataset}", says=str(self.dataset))
        self.assertEqual(self.dataset.read_bytes(), before)


if __name__ == "__main__":
    run_tests(__doc__)
