"""Functions that a written program may need, as text.

Each does what several steps have in common, or what takes more than one line.
"""

from __future__ import annotations

__all__ = ["HELPERS"]

HELPERS = {
    "without_tfdata_optimizer": '''
def without_tfdata_optimizer(elements):
    """*elements* without the prefetches and parallel calls that tf.data would put in by itself."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return elements.with_options(options)
''',
    "drawn_from": '''
def drawn_from(stream):
    """The elements of an iterator that several datasets share."""
    drawn = tf.data.Dataset.range(sys.maxsize).map(lambda _: stream.get_next_as_optional())
    drawn = drawn.take_while(lambda one: one.has_value())
    return drawn.map(lambda one: one.get_value())
''',
    "standardized": '''
def standardized(images):
    """Images, each less its mean and divided by its deviation.

    As ``tf.image.per_image_standardization``, with the last bits of TensorFlow 1, which added in this order.
    """
    size = int(np.prod(images.shape[-3:]))

    def mean(rows):
        # Eight sums, each from first to last; these are added two by two.
        columns = tf.transpose(tf.reshape(rows, [-1, size // 8, 8]), [1, 0, 2])
        sums = tf.raw_ops.BiasAddGrad(out_backprop=tf.reshape(columns, [size // 8, -1]))
        for halves in ([-1, 2, 4], [-1, 2, 2], [-1, 2, 1]):
            sums = tf.reduce_sum(tf.reshape(sums, halves), axis=1)
        return tf.math.divide_no_nan(sums, float(size))

    rows = tf.reshape(images, [-1, size])
    centred = rows - mean(rows)
    deviation = tf.sqrt(mean(tf.square(centred)))
    return tf.reshape(centred / tf.maximum(deviation, 1.0 / tf.sqrt(float(size))), tf.shape(images))
''',
    "jpeg_shape": '''
def jpeg_shape(contents, channels=0):
    """The shape of what ``tf.io.decode_jpeg(contents, channels)`` returns, from the head of the file."""

    def of_head():
        found = tf.image.extract_jpeg_shape(contents)
        return tf.concat([found[:2], [channels] if channels else tf.minimum(found[2:], 3)], 0)

    is_jpeg = tf.equal(tf.strings.substr(contents, 0, 3), b"\\xff\\xd8\\xff")
    return tf.cond(is_jpeg, of_head, lambda: tf.shape(tf.io.decode_jpeg(contents, channels)))
''',
    "jpeg_window": '''
def jpeg_window(contents, begin, size, channels=0, fancy_upscaling=True, **how):
    """``tf.slice(tf.io.decode_jpeg(contents, channels), begin, size)``, of which only that window is decoded.

    Decoded as a whole: what is no JPEG, or was cut off, and where the window is very narrow or not
    within the image.
    """
    how = dict(how, channels=channels, fancy_upscaling=fancy_upscaling)

    def of_all():
        return tf.slice(tf.io.decode_jpeg(contents, **how), begin, size)

    def of_window():
        shape = jpeg_shape(contents, channels)
        count = tf.where(size < 0, shape - begin, size)

        def decoded():
            # The decoder smooths colours with the column beside each.
            first = tf.maximum(begin - [0, 1, 0], 0)
            last = tf.minimum(begin + count + [0, 1, 0], shape)
            window = tf.concat([first[:2], (last - first)[:2]], 0)
            return tf.slice(tf.io.decode_and_crop_jpeg(contents, window, **how), begin - first, count)

        least = tf.concat([[1, 8], shape[2:]], 0)
        fits = (begin >= 0) & (begin + count <= shape) & (count >= least)
        return tf.cond(tf.reduce_all(fits), decoded, of_all)

    end = tf.maximum(tf.strings.length(contents) - 2, 0)
    is_whole = tf.equal(tf.strings.substr(contents, 0, 3), b"\\xff\\xd8\\xff")
    is_whole &= tf.equal(tf.strings.substr(contents, end, 2), b"\\xff\\xd9")
    return tf.cond(is_whole, of_window, of_all)
''',
    "until_the_end": '''
def until_the_end(elements, function):
    """``elements.map(function)``, whose end is the OutOfRangeError of *function*; ``map`` makes another error of it."""
    given = tf.nest.flatten(elements.element_spec)
    traced = tf.function(function).get_concrete_function(*given)
    specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, traced.structured_outputs)
    mapped = tf.raw_ops.MapDataset(
        input_dataset=tf.data.experimental.to_variant(elements),
        other_arguments=traced.captured_inputs,
        f=traced,
        output_types=[spec.dtype for spec in tf.nest.flatten(specs)],
        output_shapes=[spec.shape for spec in tf.nest.flatten(specs)],
        preserve_cardinality=False,
    )
    return tf.data.experimental.from_variant(mapped, specs)
''',
    "record_keys": '''
def record_keys(file, records):
    """Pairs of TF1's key, ``file:offset``, and record."""

    def keyed(offset, record):
        key = tf.strings.join([file, ":", tf.strings.as_string(offset)])
        # Around each record are a length and two checksums, 16 bytes.
        return offset + tf.cast(tf.strings.length(record), tf.int64) + 16, (key, record)

    return records.scan(tf.constant(0, tf.int64), keyed)
''',
    "numbered_keys": '''
def numbered_keys(file, records, first):
    """Pairs of TF1's key, ``file:number``, and record."""
    numbered = records.enumerate(start=first)
    return numbered.map(lambda number, record: (tf.strings.join([file, ":", tf.strings.as_string(number)]), record))
''',
    "fixed_length_records": '''
def fixed_length_records(file, record_bytes, header_bytes, footer_bytes, hop_bytes, compression):
    """The records of a file, cut from the whole of it."""
    content = tf.io.read_file(file)
    if compression:
        content = tf.io.decode_compressed(content, compression)
    room = tf.cast(tf.strings.length(content), tf.int64) - header_bytes - footer_bytes - record_bytes
    count = tf.where(room < 0, tf.constant(0, tf.int64), room // hop_bytes + 1)
    begins = tf.data.Dataset.range(count).map(lambda number: header_bytes + number * hop_bytes)
    return begins.map(lambda begin: tf.strings.substr(content, begin, record_bytes))
''',
    "bucketed": '''
def bucketed(elements, sizes, batch):
    """The number of a bucket and a batch of elements whose last part is that number."""
    elements = elements.filter(lambda *parts: (parts[-1] >= 0) & (parts[-1] < len(sizes)))
    size_of = lambda key: tf.gather(tf.constant(sizes, tf.int64), key)
    windows = elements.group_by_window(
        lambda *parts: tf.cast(parts[-1], tf.int64),
        lambda key, window: batch(window, size_of(key)),
        window_size_func=size_of,
    )
    return windows.map(lambda *parts: (parts[-1][0], *parts[:-1]))
''',
}
