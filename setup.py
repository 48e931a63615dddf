"""Packaging of queuecompat: what it needs and contains. Metadata and tool settings are in pyproject.toml."""

import pathlib
import shutil

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).parent

EXTRAS = {
    "completion": ["shtab"],  # shell completion, generated from the command line's parser
    "examples": ["pillow", "scikit-learn"],  # the digits and photographs that the examples train on
    "guide": ["matplotlib", "mkdocs==1.6.*", "mkdocs-material==9.*"],  # the guide's pictures and its site
    "images": ["pillow", "simplejpeg"],  # decoders for ImageListLoader: simplejpeg is the fastest for JPEG
    "keras2": ["tf_keras"],  # tf.layers, tf.nn.rnn_cell and tf.keras as TF1 had them
    "slim": ["tf-slim"],  # slim's layers, nets and training loop
    "records": ["google-crc32c"],  # checksums of TFRecord files, in C
    "timeline": ["matplotlib"],  # draws BackgroundLoader.timeline()
    "torch": ["torch"],  # BackgroundLoader(output="torch")
    "test": [
        "hypothesis",
        "ipython",  # tests of the cell magic
        "markdown",
        "opencv-python-headless<4.12",  # later versions need NumPy 2, which the oldest TensorFlow does not support
        "pillow",
        "pytest",
        "pytest-rerunfailures",
        "pytest-timeout",
        "pytest-xdist",
        "pyyaml",
        "scikit-learn",
        "shtab",
        "simplejpeg",
        "threadpoolctl",
    ],
    "lint": ["mypy==2.4.*", "ruff==0.17.*", "types-six"],
}

# Extras for working on queuecompat itself, and torch, whose 2 GB only programs with PyTorch need.
NOT_OF_ALL = ("examples", "guide", "lint", "test", "torch")
EXTRAS["all"] = sorted({one for extra in EXTRAS if extra not in NOT_OF_ALL for one in EXTRAS[extra]})


class BuildWithGuide(build_py):
    """Also copies the guide's page on error codes into the package, where ``queuecompat explain`` finds it."""

    def run(self) -> None:
        super().run()
        if not getattr(self, "editable_mode", False):  # an editable install reads it from migration_guide/
            folder = pathlib.Path(self.build_lib) / "queuecompat" / "reference"
            shutil.copy(HERE / "migration_guide" / "errors.md", folder / "errors.md")


setup(
    cmdclass={"build_py": BuildWithGuide},
    packages=find_packages(include=["queuecompat", "queuecompat.*"]),
    package_data={"queuecompat": ["py.typed"], "queuecompat.api": ["names.csv"]},
    install_requires=["libcst", "numpy", "six", "tensorflow>=2.12", "tensorflow-estimator>=2.12,<2.16", "tqdm"],
    extras_require=EXTRAS,
)
