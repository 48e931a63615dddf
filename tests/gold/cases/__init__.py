"""The gold cases: functions of a ``tf`` namespace whose results TF 1.15.5 has decided.

Importing this package imports every module in it, which fills CASES, from case name to function.
They are recorded by ``record.py`` and compared by ``test_gold.py``, beside this package.
"""

import importlib
import pkgutil

from .harness import CASES

__all__ = ["CASES"]

for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{module}")
