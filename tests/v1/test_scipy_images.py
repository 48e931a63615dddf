"""The image functions of scipy.misc do what they did in SciPy 1.1.0 with Pillow 6.2.2, where this was recorded."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from queuecompat._namespace.older import scipy_images
from tests.forking import Server

GRAY = np.arange(0, 240, 40, dtype=np.uint8).reshape(2, 3)
COLOUR = np.arange(0, 240, 10, dtype=np.uint8).reshape(2, 4, 3)
VALUES = np.linspace(-1, 3, 6).astype(np.float32).reshape(2, 3)
PALETTE = [[index, 255 - index, 0] for index in range(256)]
# Type, shape and pixels, or the error.
RECORDED = {
    "imresize(GRAY, (3, 2))": "uint8 [3, 2] [15, 65, 75, 125, 135, 185]",
    "imresize(GRAY, 50)": "uint8 [1, 1] [100]",
    "imresize(COLOUR, 1.5, interp='nearest')": (
        "uint8 [3, 6, 3] [0, 10, 20, 30, 40, 50, 30, 40, 50, 60, 70, 80, 60, 70, 80, 90, 100, 110, 120, "
        "130, 140, 150, 160, 170, 150, 160, 170, 180, 190, 200, 180, 190, 200, 210, 220, 230, 120, 130, "
        "140, 150, 160, 170, 150, 160, 170, 180, 190, 200, 180, 190, 200, 210, 220, 230]"
    ),
    "imresize(COLOUR, np.int64(150), 'bicubic')": (
        "uint8 [3, 6, 3] [0, 0, 10, 4, 14, 24, 27, 37, 47, 47, 57, 67, 70, 80, 90, 84, 94, 104, 59, 68, "
        "78, 72, 82, 92, 95, 105, 115, 115, 125, 135, 138, 148, 158, 152, 162, 172, 126, 136, 146, 140, "
        "150, 160, 163, 173, 183, 183, 193, 203, 206, 216, 226, 220, 230, 240]"
    ),
    "imresize(COLOUR, [1, 3], 'lanczos')": "uint8 [1, 3, 3] [65, 75, 85, 105, 115, 125, 145, 155, 165]",
    "imresize(COLOUR, (2, 2), mode='YCbCr')": "uint8 [2, 2, 3] [21, 31, 41, 69, 79, 89, 141, 151, 161, 189, 199, 209]",
    "imresize(VALUES, (2, 2))": "uint8 [2, 2] [19, 83, 172, 236]",
    "imresize(VALUES, (2, 2), mode='F')": (
        "float32 [2, 2] [-0.699999988079071, 0.30000001192092896, 1.7000000476837158, 2.700000047683716]"
    ),
    "imresize(COLOUR.transpose(2, 0, 1), (1, 2))": "uint8 [1, 2, 3] [81, 91, 101, 129, 139, 149]",
    "imresize(np.zeros((2, 2, 1)), (2, 2))": "ValueError: 'arr' does not have a suitable array shape for any mode.",
    "imrotate(COLOUR, 90)": (
        "uint8 [2, 4, 3] [0, 0, 0, 60, 70, 80, 180, 190, 200, 0, 0, 0, 0, 0, 0, 30, 40, 50, 150, 160, 170, 0, 0, 0]"
    ),
    "imrotate(GRAY, -30, 'bicubic')": "uint8 [2, 3] [64, 32, 51, 148, 167, 135]",
    "bytescale(VALUES)": "uint8 [2, 3] [0, 51, 102, 153, 204, 255]",
    "bytescale(VALUES, cmin=0, cmax=2, high=200, low=10)": "uint8 [2, 3] [10, 10, 67, 143, 200, 200]",
    "bytescale(np.full((1, 2), 7.5))": "uint8 [1, 2] [0, 0]",
    "bytescale(np.array([[-5, 300, 7]], np.int16))": "uint8 [1, 3] [0, 255, 10]",
    "bytescale(np.array([[0.1, 0.25, 0.7]], np.float16))": "uint8 [1, 3] [0, 64, 255]",
    "bytescale(VALUES, high=256)": "ValueError: `high` should be less than or equal to 255.",
    "bytescale(VALUES, low=-1)": "ValueError: `low` should be greater than or equal to 0.",
    "bytescale(VALUES, cmin=2, cmax=1)": "ValueError: `cmax` should be larger than `cmin`.",
    "bytescale(VALUES, high=1, low=2)": "ValueError: `high` should be greater than or equal to `low`.",
    "fromimage(toimage(VALUES, mode='F'))": (
        "float32 [2, 3] [-1.0, -0.20000000298023224, 0.6000000238418579, 1.399999976158142, 2.200000047683716, 3.0]"
    ),
    "fromimage(toimage(VALUES, mode='I'))": "int32 [2, 3] [0, 51, 102, 153, 204, 255]",
    "fromimage(toimage(GRAY, mode='P'))": (
        "uint8 [2, 3, 3] [0, 0, 0, 40, 40, 40, 80, 80, 80, 120, 120, 120, 160, 160, 160, 200, 200, 200]"
    ),
    "fromimage(toimage(GRAY, pal=PALETTE))": (
        "uint8 [2, 3, 3] [0, 255, 0, 40, 215, 0, 80, 175, 0, 120, 135, 0, 160, 95, 0, 200, 55, 0]"
    ),
    "fromimage(toimage(COLOUR, channel_axis=1))": (
        "uint8 [2, 3, 4] [0, 30, 60, 90, 10, 40, 70, 100, 20, 50, 80, 110, 120, 150, 180, 210, 130, 160,"
        " 190, 220, 140, 170, 200, 230]"
    ),
    "toimage(VALUES * 1j)": "ValueError: Cannot convert a complex-valued array.",
    "toimage(COLOUR, mode='CMYK')": "ValueError: Invalid array shape for mode.",
    "toimage(COLOUR, mode='HSV')": "ValueError: Mode is unknown or incompatible with input array shape.",
    "toimage(GRAY, mode='HSV')": "ValueError: Mode is unknown or incompatible with input array shape.",
    "fromimage(GRAY)": "TypeError: Input is not a PIL image.",
    "imsave(path, VALUES) or imread(path)": "uint8 [2, 3] [0, 51, 102, 153, 204, 255]",
    "imsave(path, GRAY) or imread(path, mode='RGB')[:1, 1:]": "uint8 [1, 2, 3] [40, 40, 40, 80, 80, 80]",
    "imsave(path, COLOUR, 'bmp') or imread(path, flatten=True)": (
        "float32 [2, 4] [8.149999618530273, 38.150001525878906, 68.1500015258789, 98.1500015258789, "
        "128.14999389648438, 158.14999389648438, 188.14999389648438, 218.14999389648438]"
    ),
    "imsave(path, np.zeros((3, 2, 2)))": "ValueError: Channel axis dimension is not valid.",
}
PROGRAM = """
import scipy.misc
from scipy import misc
from scipy import ndimage
from scipy.misc import imread, imresize as resized
import numpy as np
import tensorflow.compat.v1 as tf

scipy.misc.imsave("x.png", np.eye(2))
turned = tf.py_func(misc.imrotate, [imread("x.png"), 180.0], tf.uint8)
with tf.Session() as sess:
    print(sess.run(turned).tolist())
print(resized(ndimage.imread("x.png"), (1, 1)).tolist(), float(misc.logsumexp([0.0, 0.0])) == np.log(2))
"""


@pytest.mark.parametrize("call", RECORDED)
def test_scipys_removed_image_functions_return_the_recorded_pixels(call: str, tmp_path: pathlib.Path) -> None:
    names = {**globals(), **vars(scipy_images), "path": str(tmp_path / "x.png")}
    try:
        found = eval(call, names)
        text = f"{found.dtype} {list(found.shape)} {found.ravel().tolist()}"
    except (TypeError, ValueError) as error:
        text = f"{type(error).__name__}: {error}"
    assert text == RECORDED[call]


@pytest.mark.parametrize("launcher", [["run"], []])
def test_every_form_of_import_has_scipys_removed_image_functions(
    launcher: list, server: Server, tmp_path: pathlib.Path
) -> None:
    first = "" if launcher else "import queuecompat.v1\n"
    (tmp_path / "program.py").write_text(first + PROGRAM, encoding="utf-8")
    done = server.run([str(tmp_path / "program.py")], str(tmp_path), launcher=launcher)
    assert done.exit_code == 0, done.err
    assert done.out.splitlines() == ["[[255, 0], [0, 255]]", "[[128]] True"]
