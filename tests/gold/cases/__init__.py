"""The gold cases: functions of a ``tf`` namespace whose expected results come from TF 1.15.5.

Importing this package imports every module in it, which fills CASES, from case name to function.
``record.py`` records them and ``test_gold.py`` compares them; both are beside this package.
"""

import importlib
import pkgutil

from .harness import CASES

__all__ = ["CASES"]

for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{module}")
