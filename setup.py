"""Packaging of queuecompat. Tool settings are in pyproject.toml, environments in tox.ini."""

import pathlib
import re

from setuptools import find_packages, setup

HERE = pathlib.Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "queuecompat" / "__init__.py").read_text(encoding="utf-8")).group(
    1
)

EXTRAS = {
    "examples": ["pillow", "scikit-learn"],  # the digits and photographs that the examples train on
    "guide": ["matplotlib", "mkdocs==1.6.*"],  # the guide's pictures and its site
    "images": ["pillow", "simplejpeg"],  # decoders for ImageListLoader: the fastest for JPEG, and one for the rest
    "keras2": ["tf_keras"],  # tf.layers, tf.nn.rnn_cell and tf.keras as TF1 had them
    "slim": ["tf-slim"],  # slim's layers, nets and training loop
    "test": [
        "hypothesis",
        "markdown",
        "opencv-python-headless<4.12",  # later ones want NumPy 2, which would push an old TensorFlow out
        "pillow",
        "pytest",
        "pytest-timeout",
        "scikit-learn",
        "simplejpeg",
        "threadpoolctl",
    ],
    "lint": ["mypy==2.4.*", "ruff==0.17.*", "types-six"],
}

setup(
    name="queuecompat",
    version=VERSION,
    description="TensorFlow 1 queue input pipelines, unchanged, on modern TensorFlow: compiled to tf.data",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["queuecompat", "queuecompat.*"]),
    package_data={"queuecompat": ["py.typed"], "queuecompat.api": ["names.csv"]},
    entry_points={"console_scripts": ["queuecompat = queuecompat.cli:main"]},
    python_requires=">=3.9",
    install_requires=["libcst", "numpy", "six", "tensorflow>=2.12", "tqdm"],
    extras_require=EXTRAS,
    classifiers=[
        "Intended Audience :: Science/Research",
        "License :: OSI Approved :: Apache Software License",
        "Programming Language :: Python :: 3",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
