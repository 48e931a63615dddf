"""``ImageListLoader``: what is in its batches, and what it says when something is wrong."""

from __future__ import annotations

import collections
import copy
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any, Callable, Dict, List, Set, Tuple

import numpy as np
import pytest

import queuecompat
from queuecompat import errors
from queuecompat.loader.failures import LoadError
from queuecompat.loader.images import decoders, measuring

from .specimens import encoded, photograph

ROOT = pathlib.Path(__file__).parents[3]
COUNT, SIZE = 24, (20, 26)


def picture(number: int) -> np.ndarray:
    """uint8 ``[20, 26, 3]``: a part of a photograph whose first channel is the number everywhere."""
    image = photograph()[: SIZE[0], number : number + SIZE[1]].copy()
    image[..., 0] = number
    return image


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A list of 24 PNG files; the label of each is its number plus 100."""
    folder = tmp_path_factory.mktemp("images")
    lines = []
    for number in range(COUNT):
        (folder / f"{number}.png").write_bytes(encoded(picture(number), "PNG"))
        lines.append(f"{number}.png {number + 100}")
    file = folder / "list.txt"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def loader(images: Any, **arguments: Any) -> Any:
    arguments = {"crop": (12, 16), "subtract_mean": False, "batch_size": 6, "seed": 3, "num_workers": 2, **arguments}
    return queuecompat.ImageListLoader(images, **arguments)


def windows() -> Dict[bytes, Tuple[int, int, int, bool]]:
    """From the bytes of every possible crop to its image, place and side."""
    found = {}
    for number in range(COUNT):
        for top in range(SIZE[0] - 12 + 1):
            for left in range(SIZE[1] - 16 + 1):
                crop = picture(number)[top : top + 12, left : left + 16].astype(np.float32)
                found[crop.tobytes()] = (number, top, left, False)
                found[crop[:, ::-1].tobytes()] = (number, top, left, True)
    return found


def gathered(batches: Any) -> Tuple[np.ndarray, np.ndarray]:
    pairs = [(images.copy(), labels.copy()) for images, labels in batches]
    return np.concatenate([images for images, _ in pairs]), np.concatenate([labels for _, labels in pairs])


def test_training_returns_each_image_once_an_epoch_cropped_at_random(listed: str) -> None:
    known = windows()
    with loader(listed) as training:
        epochs = [gathered(training) for _ in range(6)]
    seen = []
    for images, labels in epochs:
        assert images.dtype == np.float32
        assert images.shape == (COUNT, 12, 16, 3)
        assert labels.dtype == np.int64
        here = [known[image.tobytes()] for image in images]
        assert [number + 100 for number, *_ in here] == labels.tolist()
        assert sorted(labels.tolist()) == list(range(100, 100 + COUNT))
        seen += here
    assert len({tuple(labels.tolist()) for _, labels in epochs}) == 6  # each in another order
    assert len(set(seen)) > 0.8 * len(seen)  # new crops in each
    assert 0.3 < np.mean([is_mirrored for *_, is_mirrored in seen]) < 0.7


def test_testing_returns_centre_crops_in_the_order_of_the_list(listed: str) -> None:
    with loader(listed, is_train=False) as testing:
        for _ in range(2):
            images, labels = gathered(testing)
            assert labels.tolist() == list(range(100, 100 + COUNT))
            np.testing.assert_array_equal(images, [picture(n)[4:16, 5:21].astype(np.float32) for n in range(COUNT)])


def test_pairs_in_memory_do_as_well_as_a_file(listed: str) -> None:
    pairs = [(os.path.join(os.path.dirname(listed), f"{n}.png"), n + 100) for n in range(COUNT)]
    with loader(listed) as one, loader(pairs) as other:
        for mine, theirs in zip(gathered(one), gathered(other)):
            np.testing.assert_array_equal(mine, theirs)


def test_several_labels_and_fractions_come_as_they_are(listed: str) -> None:
    pairs = [(os.path.join(os.path.dirname(listed), f"{n}.png"), [n, 0.5]) for n in range(6)]
    with loader(pairs, is_train=False) as testing:
        _, labels = gathered(testing)
    assert labels.dtype == np.float32
    assert labels.tolist() == [[n, 0.5] for n in range(6)]


def test_several_crops_come_with_their_mirror_images_in_different_batches(listed: str) -> None:
    known = windows()
    with loader(listed, crops_per_image=3, batch_size=4, capacity=96) as training:
        batches = [(images.copy(), labels.copy()) for images, labels in training]
    per_image: Dict[int, List[Tuple[int, int, bool]]] = collections.defaultdict(list)
    together: Set[int] = set()
    for images, labels in batches:
        here = [known[image.tobytes()] for image in images]
        assert [number + 100 for number, *_ in here] == labels.tolist()
        for number, top, left, is_mirrored in here:
            per_image[number].append((top, left, is_mirrored))
        together.add(len({number for number, *_ in here}))
    assert len(per_image) == COUNT
    for crops in per_image.values():
        assert len(crops) == 6
        straight = sorted(crop[:2] for crop in crops if not crop[2])
        assert straight == sorted(crop[:2] for crop in crops if crop[2])
    # In order, six of one image would follow each other: one or two images in a batch of four.
    assert np.mean([len(set(labels.tolist())) for _, labels in batches]) > 3


def test_several_crops_get_a_buffer_of_sixteen_batches_that_spreads_them(listed: str) -> None:
    with loader(listed, crops_per_image=2, batch_size=6) as training:
        assert training.statistics().capacity == 16 * 6
    with loader(listed, crops_per_image=2, batch_size=6, min_after_dequeue=10) as training:
        assert training.statistics().capacity == 10 + 16 * 6
    with loader(listed, crops_per_image=2, batch_size=6, capacity=50) as training:
        assert training.statistics().capacity == 50


def test_without_mirroring_the_crops_of_an_image_are_as_many_as_asked_for(listed: str) -> None:
    known = windows()
    with loader(listed, crops_per_image=2, mirror=False) as training:
        images, _ = gathered(training)
    assert len(images) == 2 * COUNT
    assert not any(known[image.tobytes()][3] for image in images)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_the_same_seed_makes_the_same_batches_with_any_workers(listed: str, workers: str) -> None:
    with loader(listed, num_workers=1) as one, loader(listed, num_workers=3, workers=workers) as other:
        for _ in range(2):
            for mine, theirs in zip(gathered(one), gathered(other)):
                np.testing.assert_array_equal(mine, theirs)
    with loader(listed, seed=4) as another, loader(listed) as one:
        assert gathered(another)[1].tolist() != gathered(one)[1].tolist()


def test_a_block_keeps_its_processes_from_one_epoch_to_the_next(listed: str) -> None:
    with loader(listed, num_workers=1, workers="processes") as training:
        workers = []
        for _ in range(2):
            gathered(training.batches(7))
            workers.append({process.pid for process in multiprocessing.active_children()})
    assert len(workers[0]) == 1
    assert workers[0] == workers[1]


def test_the_measured_mean_is_subtracted(listed: str) -> None:
    whole = np.stack([picture(number) for number in range(COUNT)]).astype(np.float64)
    expected = whole.mean(axis=(0, 1, 2)).astype(np.float32)
    with loader(listed, is_train=False, subtract_mean=True) as testing:
        np.testing.assert_array_equal(testing.mean, expected)
        images, _ = gathered(testing)
    np.testing.assert_allclose(images, whole[:, 4:16, 5:21] - expected, rtol=0, atol=1e-4)


def test_the_measured_mean_image_is_subtracted_where_it_was(listed: str) -> None:
    whole = np.stack([picture(number) for number in range(COUNT)]).astype(np.float64)
    with loader(listed, is_train=False, subtract_mean=True, mean="image") as testing:
        np.testing.assert_allclose(testing.mean, whole.mean(axis=0), rtol=1e-6)
        images, _ = gathered(testing)
    np.testing.assert_allclose(images, (whole - whole.mean(axis=0))[:, 4:16, 5:21], rtol=0, atol=1e-4)


def test_the_mean_that_was_trained_with_is_taken_for_testing(listed: str) -> None:
    with loader(listed, subtract_mean=True) as training:
        mean = training.mean
    with loader(listed, is_train=False, subtract_mean=True, mean=mean) as testing:
        images, _ = gathered(testing)
    np.testing.assert_array_equal(images[0], picture(0)[4:16, 5:21] - mean)


def test_a_mean_file_is_written_once_and_read_afterwards(listed: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mean.npy"
    with loader(listed, subtract_mean=True, mean_file=file) as training:
        measured = training.mean
    np.testing.assert_array_equal(np.load(file), measured)
    np.save(file, measured + 1)
    with loader(listed, subtract_mean=True, mean_file=file) as training:
        np.testing.assert_array_equal(training.mean, measured + 1)


def test_all_that_may_read_new_files_may_read_a_mean_file(listed: str, tmp_path: pathlib.Path) -> None:
    """Its owner alone could."""
    file, other = tmp_path / "mean.npy", tmp_path / "other.npy"
    np.save(other, np.zeros(3))
    loader(listed, subtract_mean=True, mean_file=file).close()
    assert file.stat().st_mode == other.stat().st_mode


def test_a_mean_file_without_a_folder_is_refused_before_anything_is_measured(
    listed: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was a FileNotFoundError with the name of a temporary file, after a pass over all images."""
    monkeypatch.setattr(measuring, "_measured", None)
    with pytest.raises(
        errors.QueueCompatValueError, match=r"QC630 .*mean_file='.*absent/mean\.npy': '.*absent' is not a folder"
    ):
        loader(listed, subtract_mean=True, mean_file=tmp_path / "absent" / "mean.npy")


def test_caffes_order_of_channels_turns_images_and_mean(listed: str) -> None:
    arguments = {"is_train": False, "subtract_mean": True}
    with loader(listed, channels="BGR", **arguments) as caffe, loader(listed, **arguments) as usual:
        np.testing.assert_array_equal(caffe.mean, usual.mean[::-1])
        np.testing.assert_array_equal(gathered(caffe)[0], gathered(usual)[0][..., ::-1])


def test_batches_returns_consecutive_epochs_in_batches_of_any_size(listed: str) -> None:
    with loader(listed, batch_size=None) as training:
        first = gathered(training.batches(5))
        second = gathered(training.batches(5))
        other_size = [len(labels) for _, labels in training.batches(7)]
    assert sorted(first[1]) == sorted(second[1])
    assert first[1].tolist() != second[1].tolist()
    assert other_size == [7, 7, 7, 3]


def test_a_sample_has_distinct_images_and_changes_with_each_call(listed: str) -> None:
    known = windows()
    with loader(listed, crops_per_image=2) as training, loader(listed, crops_per_image=2) as again:
        samples = [gathered(training.sample_batches(4, 3)) for _ in range(3)]
        gathered(again)  # what else is done does not change a sample
        repeated = [gathered(again.sample_batches(4, 3)) for _ in range(3)]
    for (images, labels), (same_images, same_labels) in zip(samples, repeated):
        assert len(set(labels.tolist())) == len(labels) == 12
        assert [known[image.tobytes()][0] + 100 for image in images] == labels.tolist()
        np.testing.assert_array_equal(images, same_images)
        np.testing.assert_array_equal(labels, same_labels)
    assert len({tuple(labels.tolist()) for _, labels in samples}) == 3
    with loader(listed, is_train=False) as testing:
        for image, label in zip(*gathered(testing.sample_batches(8, 3))):
            np.testing.assert_array_equal(image, picture(label - 100)[4:16, 5:21])


def test_a_sample_that_is_left_early_leaves_no_worker(listed: str) -> None:
    with loader(listed) as training:
        for _ in training.sample_batches(2, 3):
            break  # the fixture that watches threads does the rest


def test_an_image_that_cannot_be_used_reaches_the_loop_with_its_file_and_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "good.png").write_bytes(encoded(picture(1), "PNG"))
    (tmp_path / "bad.png").write_bytes(encoded(picture(2), "PNG")[:-50])
    (tmp_path / "list.txt").write_text("good.png 1\nbad.png 2\n")
    with loader(tmp_path / "list.txt", is_train=False, batch_size=1) as testing, pytest.raises(LoadError) as caught:
        gathered(testing)
    cause = caught.value.__cause__
    assert isinstance(cause, queuecompat.BadImageError)
    assert (cause.code, cause.path) == ("QC625", str(tmp_path / "bad.png"))
    assert "list.txt:2" in str(cause)
    assert "bad.png" in str(caught.value)


def test_images_that_cannot_be_used_are_left_out_on_request_and_listed(tmp_path: pathlib.Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.png").write_bytes(encoded(picture(number), "PNG")[: -50 if number == 1 else None])
    (tmp_path / "2.png").write_bytes(encoded(picture(2)[:5], "PNG"))
    pairs = [(tmp_path / f"{number}.png", number) for number in range(4)]
    with loader(pairs, is_train=False, on_error="skip", subtract_mean=True, mean="channels") as testing:
        assert gathered(testing)[1].tolist() == [0, 3]
        sampled = gathered(testing.sample_batches(2, 2))[1].tolist()
        assert sorted(sampled) == [0, 3]
        assert sorted(os.path.basename(one.item.path) for one in testing.skipped) == ["1.png"] * 2 + ["2.png"] * 2
    with loader(pairs, on_error="skip", crops_per_image=2) as training:
        assert sorted(gathered(training)[1].tolist()) == [0] * 4 + [3] * 4


def test_a_small_image_is_padded_on_request(tmp_path: pathlib.Path) -> None:
    (tmp_path / "small.png").write_bytes(encoded(picture(1)[:5, :7], "PNG"))
    pairs = [(tmp_path / "small.png", 1)]
    with loader(pairs, is_train=False) as testing, pytest.raises(LoadError) as caught:
        gathered(testing)
    assert getattr(caught.value.__cause__, "code", None) == "QC627"
    with loader(pairs, is_train=False, small="pad", subtract_mean=True, mean=10) as testing:
        ((image,), _) = gathered(testing)
    np.testing.assert_array_equal(image[3:8, 4:11], picture(1)[:5, :7].astype(np.float32) - 10)
    assert np.count_nonzero(image) <= 5 * 7 * 3


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"crop": (0, 5)}, "crop"),
        ({"crop": "big"}, "crop"),
        ({"small": "grow"}, "small"),
        ({"channels": "CMYK"}, "channels"),
        ({"decoders": ["libpng"]}, "decoders"),
        ({"subtract_mean": True, "mean": "median"}, "mean"),
        ({"subtract_mean": False, "mean": 7}, "subtract_mean"),
        ({"subtract_mean": True, "mean": 7, "mean_file": "mean.npy"}, "mean_file"),
        ({"crops_per_image": 0}, "crops_per_image"),
        ({"crops_per_image": 1.5}, "crops_per_image"),
        ({"max_pixels": 0}, "max_pixels"),
        ({"max_pixels": "many"}, "max_pixels"),
        ({"crops_per_image": 2, "is_train": False}, "crops_per_image"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(listed: str, arguments: Dict[str, Any], argument: str) -> None:
    with pytest.raises(errors.QueueCompatValueError, match=f"QC630 ImageListLoader got {argument}="):
        loader(listed, **arguments)


@pytest.mark.parametrize("flag", ["is_train", "mirror", "subtract_mean"])
def test_text_for_a_flag_is_refused(listed: str, flag: str) -> None:
    """ "False" of a command line was taken as true."""
    with pytest.raises(errors.QueueCompatValueError, match=f"(?s)QC601 .* 'False' for {flag}.*pass True or False"):
        loader(listed, **{flag: "False"})


def test_a_mean_that_was_not_asked_for_is_not_measured_silently(
    listed: str, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    kinds: Any = dict(crop=12, batch_size=6, num_workers=1)
    for asked in ({"mean": "channels"}, {"mean_file": tmp_path / "mean.npy"}, {"subtract_mean": False}, {"mean": 3}):
        queuecompat.ImageListLoader(listed, **kinds, **asked)
    assert not caplog.records
    queuecompat.ImageListLoader(listed, **kinds)
    (record,) = caplog.records
    assert record.getMessage().startswith("ImageListLoader computes the mean of 24 images of ")


def test_the_mean_of_one_image_is_logged_in_the_singular(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    """It said "1 images"."""
    (tmp_path / "a.png").write_bytes(encoded(picture(1), "PNG"))
    (tmp_path / "list.txt").write_text("a.png 1\n")
    queuecompat.ImageListLoader(tmp_path / "list.txt", crop=12, batch_size=1, num_workers=1)
    (record,) = caplog.records
    assert record.getMessage().startswith("ImageListLoader computes the mean of 1 image of ")


def test_no_mean_is_the_same_as_none(listed: str) -> None:
    with loader(listed, is_train=False, mean=None) as testing:
        assert testing.mean is None
    with pytest.raises(errors.QueueCompatValueError, match="QC630 ImageListLoader got mean=None"):
        loader(listed, subtract_mean=True, mean=None)


@pytest.mark.parametrize("name", ["batchsize", "source", "load"])
def test_an_argument_that_it_does_not_have_is_a_type_error(name: str) -> None:
    """It was one of ``BackgroundLoader.__init__``, and came after the mean had been measured."""
    with pytest.raises(TypeError, match=f"ImageListLoader.. got an unexpected keyword argument '{name}'"):
        loader("no such list", **{name: 3})


def test_what_needs_a_batch_size_says_so(listed: str) -> None:
    with loader(listed, batch_size=None) as training:
        for use in (lambda: iter(training), training.batches, training.as_dataset, training.statistics):
            with pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*batch_size"):
                use()


def test_a_sample_larger_than_the_list_is_refused(listed: str) -> None:
    with loader(listed) as training, pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*the list has 24"):
        training.sample_batches(5, 5)


def test_a_closed_loader_is_closed_for_everything(listed: str) -> None:
    training = loader(listed)
    batches = training.batches()
    next(batches)
    training.close()
    training.close()
    for use in (lambda: next(batches), lambda: iter(training), lambda: training.sample_batches(2, 2)):
        with pytest.raises(queuecompat.LoaderClosedError):
            use()


def test_its_repr_says_what_it_does(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "24 images of" in repr(loader(listed))
    assert "random crops 12x16, no mean, decoders: simplejpeg, OpenCV, Pillow, seed 3>" in repr(loader(listed))
    assert "decoders: Pillow," in repr(loader(listed, decoders=["Pillow"]))
    assert "centre crops 12x16, mean 1.0 2.0 3.0," in repr(
        loader(listed, is_train=False, subtract_mean=True, mean=[1, 2, 3])
    )
    monkeypatch.setattr(decoders, "is_usable", lambda module: False)
    assert "decoders: none installed," in repr(loader(listed))


def test_statistics_count_what_was_returned(listed: str) -> None:
    with loader(listed) as training:
        gathered(training)
        assert training.statistics().examples == COUNT


def test_it_needs_no_tensorflow(listed: str) -> None:
    code = (
        "import sys, queuecompat\n"
        f"with queuecompat.ImageListLoader({listed!r}, crop=8, batch_size=4, mean='channels') as loader:\n"
        "    assert len(list(loader)) == 6\n"
        "sys.exit('tensorflow' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("taken", [0, 2, 4])
def test_an_epoch_is_resumed_in_the_middle(listed: str, taken: int) -> None:
    with loader(listed) as training:
        gathered(training)
        batches = training.batches()
        for _ in range(taken):
            next(batches)
        state = training.state_dict()
        rest = [(images.copy(), labels) for images, labels in batches]
        next_epoch = gathered(training.batches())
    with loader(listed) as again:
        again.load_state_dict(state)
        resumed = [(images.copy(), labels) for images, labels in again.batches()] if rest else []
        assert len(json.dumps(state)) < 2000
        for (images, labels), (same_images, same_labels) in zip(rest, resumed):
            np.testing.assert_array_equal(images, same_images)
            np.testing.assert_array_equal(labels, same_labels)
        assert len(resumed) == len(rest) == 4 - taken
        if rest:
            np.testing.assert_array_equal(gathered(again.batches())[0], next_epoch[0])


def test_its_length_is_in_batches(listed: str) -> None:
    with loader(listed, batch_size=5) as training:
        assert len(training) == 5 == len(list(training))
    with loader(listed, batch_size=5, drop_remainder=True, num_epochs=2) as training:
        assert len(training) == 9 == len(list(training))


@pytest.mark.parametrize("mirror", [True, False])
@pytest.mark.parametrize("apart", ["shuffle", "delay"])
def test_its_length_counts_the_crops_of_each_image(listed: str, apart: str, mirror: bool) -> None:
    with loader(listed, batch_size=7, crops_per_image=3, crops_apart=apart, mirror=mirror, num_epochs=2) as training:
        before = len(training)
        assert before == len(list(training)) == len(training) == -(-2 * COUNT * 3 * (1 + mirror) // 7)


def test_images_none_of_which_can_be_read_have_no_mean(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"text")
    for mean in ("channels", "image"):
        with pytest.raises(errors.QueueCompatValueError, match="QC622"):
            loader([(tmp_path / "bad.png", 1)], subtract_mean=True, mean=mean, on_error="skip")


@pytest.mark.parametrize("mean", ["channels", "image"])
def test_a_bad_image_stops_the_measuring_of_a_mean(tmp_path: pathlib.Path, mean: str) -> None:
    (tmp_path / "bad.png").write_bytes(b"text")
    with pytest.raises(LoadError, match=r"bad\.png") as caught:
        loader([(tmp_path / "bad.png", 1)], subtract_mean=True, mean=mean)
    assert isinstance(caught.value.__cause__, queuecompat.BadImageError)


def test_samples_are_resumed_too(listed: str) -> None:
    with loader(listed) as training, loader(listed) as again:
        gathered(training.sample_batches(2, 2))
        again.load_state_dict(training.state_dict())
        for mine, theirs in zip(gathered(training.sample_batches(2, 2)), gathered(again.sample_batches(2, 2))):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("copied", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "pickle"])
def test_a_copy_goes_on_from_the_same_position(listed: str, copied: Callable[[Any], Any]) -> None:
    with loader(listed, batch_size=2) as training:
        batches = iter(training)
        next(batches)
        with copied(training) as one, copied(training) as other:
            assert one.state_dict() == training.state_dict()
            rest = [gathered(each)[0] for each in (batches, one, other)]  # one after the other: they share nothing
        np.testing.assert_array_equal(rest[1], rest[0])
        np.testing.assert_array_equal(rest[2], rest[0])


def test_a_state_of_something_else_is_refused(listed: str) -> None:
    with loader(listed) as training, pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*state="):
        training.load_state_dict({"epoch": 3})


@pytest.mark.parametrize("state", [None, [], "state", {"batch_size": 3, "num_epochs": 1, "samples_taken": 0}])
def test_a_value_that_is_not_a_state_is_refused(listed: str, state: Any) -> None:
    with loader(listed) as training, pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*state="):
        training.load_state_dict(state)


@pytest.mark.parametrize("wrong", [[3], -1, True, 2.0, 1 << 63, "4", "loader"])
@pytest.mark.parametrize("name", ["batch_size", "num_epochs", "samples_taken", "loader"])
def test_a_state_with_a_wrong_field_is_refused_and_changes_nothing(listed: str, name: str, wrong: Any) -> None:
    with loader(listed, batch_size=2) as training:
        next(iter(training))
        before = training.state_dict()
        with pytest.raises(errors.QueueCompatValueError, match="QC617"):
            training.load_state_dict({**before, "samples_taken": 3, name: wrong})
        assert training.state_dict() == before


IN_A_FORK = """
import os, sys
import queuecompat
chosen = dict(crop=(12, 16), subtract_mean=False, batch_size=6, num_workers=2)
with queuecompat.ImageListLoader(sys.argv[1], **chosen) as loader:
    batches = loader.batches()
    next(batches)
    if not os.fork():
        for use in (loader.__iter__, loader.batches, lambda: loader.batches(4), lambda: loader.sample_batches(4, 2),
                    loader.as_dataset, loader.state_dict, loader.statistics, loader.timeline):
            try:
                use()
            except queuecompat.LoaderClosedError as problem:
                print(problem.code, flush=True)
        os._exit(0)
    os.wait()
    print(len(next(batches)[0]), flush=True)
"""


@pytest.mark.timeout(120)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_is_refused_also_for_other_sizes_of_batches_and_for_samples(listed: str) -> None:
    """They were given loaders of their own, whose cache of images could have a lock that is never released."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IN_A_FORK, listed], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == "QC602\n" * 8 + "6\n"


def test_a_mean_file_of_a_different_kind_is_refused(listed: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mean.npy"
    np.save(file, np.zeros(3, np.float32))
    with pytest.raises(ValueError, match=r"(?s)QC630 .*mean.npy.*of the kind 'channels', but 'image' was requested"):
        loader(listed, mean="image", mean_file=file, subtract_mean=True)
    with loader(listed, mean="channels", mean_file=file, subtract_mean=True) as training:
        assert training.mean.tolist() == [0, 0, 0]
