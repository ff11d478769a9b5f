from __future__ import annotations

import sys
from pathlib import Path

# The example's data is not part of the installed package: its two scripts are found by their folder.
sys.path.insert(0, str(Path(__file__).parents[3] / "assets"))
