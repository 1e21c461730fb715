# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

import rung

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for label in (1, 2, 10):
        (tmp_path / str(label)).mkdir()
        for i in range(4):
            pixels = np.clip(rng.normal(20 * label, 10, (5, 4)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(tmp_path / str(label) / f"{i}.png")
    Image.fromarray(pixels).save(tmp_path / "later.png")
    (tmp_path / "notes.txt").write_text("not an image")
    return tmp_path


def test_read_and_fit(folder):
    images = rung.read_images(folder)
    assert images.data.shape == (13, 20) and images.shape == (5, 4) and len(images.filenames) == 13
    assert images.target.tolist() == [1] * 4 + [10] * 4 + [2] * 4 + [None]
    assert 0 <= images.data.min() and images.data.max() <= 1
    np.testing.assert_array_equal(images.data[-1], images.data[7])
    model = rung.MLDA(shape=images.shape).fit(images.data, images.target)
    assert model.classes_.tolist() == [1, 2, 10] and model.predict(images.data[-1:]).tolist() == [10]


def test_sizes_and_colours(folder):
    assert rung.read_images(folder, size=(3, 2)).shape == (3, 2)
    colour = rung.read_images(folder, grey=False)
    assert colour.shape == (5, 4, 3) and colour.data.shape == (13, 60)
    Image.new("L", (7, 7)).save(folder / "odd.png")
    with pytest.raises(ValueError, match=r"odd.png is 7x7, .*5x4; set size="):
        rung.read_images(folder)


def test_refusals(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no image"):
        rung.read_images(tmp_path)
    with pytest.raises(NotADirectoryError):
        rung.read_images(tmp_path / "nothing")


@pytest.mark.parametrize("grey", [True, False])
def test_grey_values_of_16_bits(tmp_path, grey):
    values = np.arange(64, dtype=np.uint16).reshape(8, 8) * 1040
    Image.fromarray(values).save(tmp_path / "a.png")
    Image.fromarray((values // 257).astype(np.uint8)).save(tmp_path / "b.png")
    deep, flat = rung.read_images(tmp_path, grey=grey).data
    np.testing.assert_allclose(deep, flat, atol=1 / 255)
    np.testing.assert_allclose(deep.reshape(64, -1)[:, 0], values.ravel() / 65535, atol=1e-6)
    half = rung.read_images(tmp_path, grey=grey, size=(4, 4)).data
    np.testing.assert_allclose(half[0], half[1], atol=2 / 255)
