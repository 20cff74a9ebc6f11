"""The PNG writer, read back by another program."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from acumen.render.regions import data_uri, indexed_png


@given(
    arrays(np.uint8, st.tuples(st.integers(1, 20), st.integers(1, 20)), elements=st.integers(0, 4)),
    arrays(np.uint8, (5, 4)),
)
def test_pixels_come_back(pixels, colours):
    image = pytest.importorskip("PIL.Image")
    picture = indexed_png(pixels, colours)
    assert np.array_equal(np.asarray(image.open(io.BytesIO(picture)).convert("RGBA")), colours[pixels])
    assert base64.b64decode(data_uri(picture).removeprefix("data:image/png;base64,")) == picture


@pytest.mark.parametrize(
    ("pixels", "colours"),
    [
        (np.zeros((0, 3), np.uint8), np.zeros((1, 4), np.uint8)),
        (np.ones((2, 2), np.uint8), np.zeros((1, 4), np.uint8)),
        (np.zeros((2, 2), np.uint8), np.zeros((0, 4), np.uint8)),
        (np.zeros((2, 2), np.uint8), np.zeros((2, 3), np.uint8)),
    ],
)
def test_what_is_no_picture_is_refused(pixels, colours):
    with pytest.raises(ValueError, match="a picture has"):
        indexed_png(pixels, colours)
