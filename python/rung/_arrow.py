# SPDX-License-Identifier: BSD-3-Clause
"""Reads tables through the Arrow C stream interface (https://arrow.apache.org/docs/format/CStreamInterface.html).

polars, pyarrow, pandas, DuckDB and others offer it as `__arrow_c_stream__`. Numbers without missing cells that are
doubles are not copied; nothing needs pyarrow or pandas.
"""

import ctypes

import cffi
import numpy as np

from ._frame import EXACT, Numbers, Text, dates, one_order, whole_numbers
from ._names import class_name

_ffi = cffi.FFI()
_ffi.cdef("""
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
""")
ORDERED = 1  # a flag of a schema: the order of its dictionary means something
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64,
    "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}  # of times


def _owned(kind):
    """An empty structure that is released with its last reference."""

    def release(pointer):
        if pointer.release != _ffi.NULL:
            pointer.release(pointer)

    return _ffi.gc(_ffi.new(f"struct {kind} *"), release)


def read(X):
    """The names and columns of a table; its arrays live as long as the columns do."""
    capsule = X.__arrow_c_stream__()
    stream = _ffi.cast("struct ArrowArrayStream *", _pointer_of(capsule, b"arrow_array_stream"))
    schema = _owned("ArrowSchema")
    _check(stream, stream.get_schema(stream, schema))
    if _text(schema.format) != "+s":
        raise TypeError(f"{type(X).__name__} is not a table of columns")
    chunks = []
    while True:
        chunk = _owned("ArrowArray")
        _check(stream, stream.get_next(stream, chunk))
        if chunk.release == _ffi.NULL:  # the end
            break
        chunks.append(chunk)
    names, columns = [], []
    for j in range(schema.n_children):
        one = schema.children[j]
        names.append(_text(one.name))
        columns.append(_column(one, [(chunk, _child(chunk, j)) for chunk in chunks], names[-1]))
    return names, columns


class _Part:
    """A child of a chunk, cut as the chunk is: a chunk may be a slice of what its children hold."""

    def __init__(self, chunk, array):
        self.offset, self.length = array.offset + chunk.offset, chunk.length
        self.null_count = array.null_count if chunk.length == array.length else -1
        self.buffers, self.dictionary = array.buffers, array.dictionary


def _child(chunk, j):
    if chunk.null_count != 0 and chunk.n_buffers and chunk.buffers[0] != _ffi.NULL and not _bits(chunk, 0).all():
        raise TypeError("the Arrow table has rows that are missing as a whole")
    return _Part(chunk, chunk.children[j])


def _check(stream, status):
    if status:
        raise ValueError(_text(stream.get_last_error(stream)) or f"reading an Arrow stream failed with status {status}")


def _text(pointer):
    return "" if pointer == _ffi.NULL else _ffi.string(pointer).decode()


def _column(schema, parts, name):
    """parts: the array of each chunk, with the chunk that owns it."""
    kind = _text(schema.format)
    if schema.dictionary != _ffi.NULL:
        return _dictionary(schema, parts, name)
    if kind == "n":
        return Numbers(np.full(sum(array.length for _, array in parts), np.nan))
    if kind in ("l", "L") and any(_has_codes(kind, array) for _, array in parts):
        return whole_numbers(*_whole(kind, [array for _, array in parts]))
    if kind in NUMBERS or kind == "b":
        return Numbers(
            _joined([_numbers(kind, array) for _, array in parts], np.float64), [owner for owner, _ in parts]
        )
    if kind.startswith("d:"):
        return Numbers(_joined([_decimals(kind, array) for _, array in parts], np.float64))
    if kind in ("tdD", "tdm") or kind.startswith("ts"):
        width, unit = (np.int32, "D") if kind == "tdD" else (np.int64, "ms" if kind == "tdm" else UNITS[kind[2]])
        return dates(_joined([_instants(width, unit, array) for _, array in parts], f"datetime64[{unit}]"))
    if kind.startswith("tD"):
        day = np.timedelta64(1, "D") / np.timedelta64(1, UNITS[kind[2]])
        return Numbers(_joined([_numbers(np.int64, array) / day for _, array in parts], np.float64))
    if kind in ("u", "U", "vu"):
        return Text.of([cell for _, array in parts for cell in _strings(kind, array)])
    raise TypeError(
        f"column {name!r} has the Arrow type {kind!r}; expected numbers, booleans, text, categories or dates"
    )


def _words(schema, array, name):
    """The categories of a chunk, None: missing."""
    words = _column(schema.dictionary, [(None, array.dictionary)], name)
    if isinstance(words, Text):
        return [words.values[code] if code >= 0 else None for code in words.codes]
    return [None if np.isnan(value) else class_name(value) for value in words.values]


def _dictionary(schema, parts, name):
    # polars says so in the metadata of its Enum, whose order is that of its values
    enum = schema.metadata != _ffi.NULL and b"_PL_ENUM_VALUES" in _metadata(schema.metadata)
    ordered = bool(schema.flags & ORDERED) or enum
    own = [_words(schema, array, name) for _, array in parts]  # each chunk may have a dictionary of its own
    known = [[word for word in words if word is not None] for words in own]
    values = one_order(known, f"column {name!r}") if ordered else list(dict.fromkeys(sum(known, [])))
    places = {word: k for k, word in enumerate(values)}
    codes = []
    for words, (_, array) in zip(own, parts, strict=True):
        place = np.array([places.get(word, -1) for word in words], dtype=np.int32)
        number = _numbers(NUMBERS[_text(schema.format)], array)
        number = np.where(np.isnan(number), -1, number).astype(np.int64)
        codes.append(np.where(number < 0, -1, place[number]) if len(place) else np.full(len(number), -1))
    return Text(_joined(codes, np.int32), values, ordered, nominal=not ordered)


def _metadata(pointer):
    """The keys: a number of pairs, then for each the lengths and bytes of key and value."""
    count = _ffi.cast("int32_t *", pointer)[0]
    at, keys = 4, []
    for _ in range(count):
        pair = []
        for _ in range(2):
            length = _ffi.cast("int32_t *", pointer + at)[0]
            pair.append(bytes(_ffi.buffer(pointer + at + 4, length)))
            at += 4 + length
        keys.append(pair[0])
    return keys


def _joined(arrays, kind):
    if len(arrays) == 1:
        return np.ascontiguousarray(arrays[0], dtype=kind)
    return np.concatenate(arrays).astype(kind) if arrays else np.empty(0, kind)


def _buffer(array, place, kind, count):
    if array.buffers[place] == _ffi.NULL:
        return np.zeros(count, kind)
    return np.frombuffer(_ffi.buffer(array.buffers[place], count * np.dtype(kind).itemsize), kind)


def _bits(array, place):
    last = array.offset + array.length
    return np.unpackbits(_buffer(array, place, np.uint8, -(-last // 8)), bitorder="little")[array.offset : last]


def _present(array):
    """Which cells are there; None: all."""
    if array.null_count == 0 or array.buffers[0] == _ffi.NULL:
        return None
    return _bits(array, 0).astype(bool)


def _numbers(kind, array):
    """As they are, or as doubles with NaN where cells are missing."""
    if kind == "b":
        values = _bits(array, 1)
    else:
        values = _buffer(array, 1, NUMBERS.get(kind, kind), array.offset + array.length)[array.offset :]
    present = _present(array)
    return values if present is None else np.where(present, values.astype(np.float64), np.nan)


def _has_codes(kind, array):
    values, present = _integers(kind, array), _present(array)
    values = values if present is None else values[present]
    return bool(len(values) and values.max() >= EXACT)


def _integers(kind, array):
    return _buffer(array, 1, NUMBERS[kind], array.offset + array.length)[array.offset :]


def _whole(kind, arrays):
    """The distinct numbers, and the place of each among them, -1: missing."""
    values, places = np.unique(np.concatenate([_integers(kind, array) for array in arrays]), return_inverse=True)
    there = [np.ones(array.length, bool) if (known := _present(array)) is None else known for array in arrays]
    return values, np.where(np.concatenate(there), places, -1)


def _decimals(kind, array):
    """d:PRECISION,SCALE[,BITS]: whole numbers of 10^-SCALE, correctly rounded."""
    scale, *bits = kind[2:].split(",")[1:]
    width = int(bits[0]) // 8 if bits else 16
    last, unit = array.offset + array.length, 10 ** abs(int(scale))
    cells = _buffer(array, 1, np.uint8, width * last).tobytes()[width * array.offset :]
    whole = [int.from_bytes(cells[at : at + width], "little", signed=True) for at in range(0, len(cells), width)]
    values = np.array([cell / unit if int(scale) >= 0 else float(cell * unit) for cell in whole], dtype=np.float64)
    present = _present(array)
    return values if present is None else np.where(present, values, np.nan)


def _instants(width, unit, array):
    values = _buffer(array, 1, width, array.offset + array.length)[array.offset :].astype(f"datetime64[{unit}]")
    present = _present(array)
    return values if present is None else np.where(present, values, np.datetime64("NaT", unit))


def _strings(kind, array):
    """Cells as str, None where they are missing."""
    first, last = array.offset, array.offset + array.length
    present = _present(array)
    if kind == "vu":
        views = _buffer(array, 1, np.int32, 4 * last).reshape(-1, 4)[first:]
        short = _buffer(array, 1, np.uint8, 16 * last).reshape(-1, 16)[first:]
        cells = [
            short[i, 4 : 4 + size].tobytes()
            if size <= 12
            else bytes(_ffi.buffer(_ffi.cast("char *", array.buffers[2 + place]) + start, size))
            for i, (size, _, place, start) in enumerate(views.tolist())
            if present is None or present[i]
        ]
    else:
        ends = _buffer(array, 1, np.int32 if kind == "u" else np.int64, last + 1)[first:].tolist()
        data = _ffi.cast("char *", array.buffers[2])
        cells = [
            bytes(_ffi.buffer(data + ends[i], ends[i + 1] - ends[i])) if ends[i + 1] > ends[i] else b""
            for i in range(last - first)
            if present is None or present[i]
        ]
    words = iter([cell.decode() for cell in cells])
    return list(words) if present is None else [next(words) if there else None for there in present]
