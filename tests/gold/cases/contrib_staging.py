"""StagingArea: what goes in, what comes out, and what is refused."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_call, error_at_run, gold, running, static_shape, word, words

__all__: list[str] = []


def _area(tf: Any, *arguments: Any, **named: Any) -> Any:
    return tf.contrib.staging.StagingArea(*arguments, **named)


@gold
def staging_areas_know_what_they_were_made_with(tf: Any) -> Result:
    with tf.Graph().as_default():
        bare = _area(tf, [tf.int32, tf.string])
        second = _area(tf, [tf.int32])
        full = _area(tf, [tf.int32, tf.float32], [[], [3, None]], ["a", "b"], "shared", 4, 1000)
        return {
            "names": words([bare.name, second.name, full.name]),
            "has_no_names": np.array(bare.names is None),
            "keys": words(full.names),
            "numbers": np.array([bare.capacity, bare.memory_limit, full.capacity, full.memory_limit]),
            "unknown": np.array([shape.ndims is None for shape in bare.shapes]),
            "shapes": words([str(shape.as_list()) for shape in full.shapes]),
            "dtypes": words([tf.as_dtype(dtype).name for dtype in full.dtypes]),
        }


@gold
def a_staging_area_names_its_ops_after_itself(tf: Any) -> Result:
    with tf.Graph().as_default():
        area = _area(tf, [tf.int32])
        put = area.put([tf.constant(1)])
        ops = [put, area.get()[0].op, area.peek(0)[0].op, area.size().op, area.clear()]
        ops += [area.put(tf.constant(1), name="p"), area.get("g")[0].op, area.size("s").op]
        with tf.name_scope("outer"):
            ops += [area.put([tf.constant(1)]), area.get()[0].op]
        return {
            "names": words([op.name for op in ops]),
            "types": words([op.type for op in ops]),
            "shared": np.array([op.get_attr("shared_name") for op in ops], np.bytes_),
        }


@gold
def what_is_put_into_a_staging_area_is_what_comes_out(tf: Any) -> Result:
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.int32, [2])
        area = _area(tf, [tf.int32, tf.string], [[2], None])
        put, size, clear = area.put((fed, tf.as_string(fed))), area.size(), area.clear()
        got, second = area.get(), area.peek(1)
        result = {
            "structure": word(type(got).__name__),
            "static": static_shape(got[0]),
            "static_text": static_shape(got[1]),
            "static_peek": static_shape(second[0]),
        }
        with running(tf) as session:
            sizes = [session.run(size)]
            for number in range(4):
                session.run(put, {fed: [number, -number]})
            sizes.append(session.run(size))
            result["peeked"] = session.run(second)[0]
            steps = [session.run(got) for _ in range(2)]
            sizes.append(session.run(size))
            session.run(clear)
            sizes.append(session.run(size))
        result["numbers"] = np.array([step[0] for step in steps])
        result["texts"] = np.array([step[1].astype("S") for step in steps])
        result["sizes"] = np.array(sizes)
    return result


@gold
def elements_of_a_staging_area_with_names_are_dicts(tf: Any) -> Result:
    with tf.Graph().as_default():
        area = _area(tf, [tf.int32, tf.float32], names=["n", "half"], capacity=3)
        put = area.put({"half": tf.constant(0.5), "n": tf.constant(7)})
        got = area.get()
        peeked = area.peek(tf.constant(0))
        with running(tf) as session:
            session.run(put)
            first = session.run(peeked)
            values = session.run(got)
    return {
        "structure": word(type(got).__name__),
        "keys": words(sorted(values)),
        "half": values["half"],
        "n": values["n"],
        "peeked": first["n"],
    }


@gold
def a_staging_area_of_one_tensor_gives_a_list(tf: Any) -> Result:
    with tf.Graph().as_default():
        area = _area(tf, [tf.int64], [[]])
        put, got = area.put(tf.constant(3, tf.int64)), area.get()
        with running(tf) as session:
            session.run(put)
            return {"structure": word(type(got).__name__), "value": session.run(got)[0]}


@gold
def areas_of_one_shared_name_are_one_area(tf: Any) -> Result:
    with tf.Graph().as_default():
        first, second = (_area(tf, [tf.int32], shared_name="both") for _ in range(2))
        other = _area(tf, [tf.int32])
        put, got, left = first.put([tf.constant(5)]), second.get(), other.size()
        with running(tf) as session:
            session.run(put)
            return {"got": session.run(got)[0], "in_the_other": session.run(left)}


@gold
def staging_areas_refuse_what_they_refused(tf: Any) -> Result:
    def number() -> Any:
        return tf.constant(1)

    calls: Dict[str, Callable[[], Any]] = {
        "shapes_of_another_length": lambda: _area(tf, [tf.int32], [[], []]),
        "names_of_another_length": lambda: _area(tf, [tf.int32], names=["a", "b"]),
        "shared_name_of_another_type": lambda: _area(tf, [tf.int32], shared_name=3),
        "a_dict_without_names": lambda: _area(tf, [tf.int32]).put({"a": number()}),
        "a_list_with_names": lambda: _area(tf, [tf.int32], names=["a"]).put([number()]),
        "another_key": lambda: _area(tf, [tf.int32], names=["a"]).put({"b": number()}),
        "a_key_too_few": lambda: _area(tf, [tf.int32] * 2, names=["a", "b"]).put({"b": number()}),
        "a_value_too_few": lambda: _area(tf, [tf.int32] * 2).put([number()]),
        "a_value_too_many": lambda: _area(tf, [tf.int32]).put([number(), number()]),
        "no_values": lambda: _area(tf, [tf.int32]).put([]),
        "another_type": lambda: _area(tf, [tf.float32]).put([number()]),
        "another_shape": lambda: _area(tf, [tf.int32], [[3]]).put([number()]),
        "a_shape_that_may_fit": lambda: _area(tf, [tf.int32], [[3]]).put(tf.placeholder(tf.int32)),
        "no_dtypes": lambda: _area(tf, []).get(),
        "an_index_of_another_type": lambda: _area(tf, [tf.int32]).peek(0.5),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


@gold
def a_staging_area_refuses_elements_larger_than_its_limit(tf: Any) -> Result:
    with tf.Graph().as_default():
        area = _area(tf, [tf.int32], memory_limit=8)
        small, large, size = area.put([tf.constant([1, 2])]), area.put([tf.constant([1, 2, 3])]), area.size()
        with running(tf) as session:
            error = error_at_run(lambda: session.run(large))
            session.run(small)
            return {"error": error, "size": session.run(size)}


@gold
def a_training_loop_stages_the_next_batch_while_it_uses_this_one(tf: Any) -> Result:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(7, num_epochs=2, shuffle=False).dequeue()
        batch = tf.train.batch([number, number * number], batch_size=3)
        area = _area(tf, [tensor.dtype for tensor in batch], [tensor.shape for tensor in batch])
        put, got = area.put(batch), area.get()
        used = []
        with running(tf) as session:
            session.run(put)
            ending = "none"
            try:
                while True:
                    used.append(session.run([got, put])[0])
            except tf.errors.OutOfRangeError:
                ending = "OutOfRangeError"
        return {"numbers": np.array([u[0] for u in used]), "ending": word(ending), "static": static_shape(got[0])}
