"""``tf.contrib.opt``: what its optimizers do to dense and sparse variables of both kinds, and which they make."""

import os
from typing import Any, Callable, Dict, List

import numpy as np

from .harness import Result, collect, error_at_call, gold, temporary_directory, words

__all__: List[str] = []

_STEPS = 4


def _variables(tf: Any) -> List[Any]:
    """A variable of each kind that is read whole, and one of each kind of which rows are read, one row twice."""
    made = []
    for is_resource in (False, True):
        with tf.variable_scope("resource" if is_resource else "plain", use_resource=is_resource):
            made.append(tf.get_variable("whole", initializer=np.array([1.0, -2.0, 0.5], np.float32)))
            rows = np.arange(8, dtype=np.float32).reshape(4, 2) / 4 - 1
            made.append(tf.get_variable("rows", initializer=rows))
    return made


def _loss(tf: Any, variables: List[Any]) -> Any:
    losses = []
    for number, one in enumerate(variables):
        if one.op.name.endswith("rows"):
            read = tf.gather(one, [2, 0, 2])
            losses.append(tf.reduce_sum((read - 0.25 * number) ** 2 * [[1.0], [0.5], [2.0]]))
        else:
            losses.append(tf.reduce_sum((one - 0.5) ** 2 * (1.0 + number)))
    return tf.add_n(losses)


def _linear_loss(tf: Any, variables: List[Any]) -> Any:
    """Its gradients do not depend on the variables.

    TensorFlow 1 lets weights decay at any time of a step, perhaps before the loss reads them.
    """
    read = [tf.gather(one, [2, 0, 2]) if one.op.name.endswith("rows") else one for one in variables]
    return tf.add_n([tf.reduce_sum(one * (0.5 + number)) for number, one in enumerate(read)])


def _trained(tf: Any, make: Callable[[Any], Any], loss: Callable[..., Any] = _loss, **minimize: Any) -> Result:
    """The values of the variables after each step, and the names of all variables."""
    names: List[str] = []

    def build() -> Dict[str, Any]:
        variables = _variables(tf)
        optimizer = make(variables)
        step = optimizer.minimize(loss(tf, variables), tf.train.get_or_create_global_step(), **minimize)
        with tf.control_dependencies([step]):
            outputs = {one.op.name.replace("/", "_"): tf.identity(one.read_value()) for one in variables}
        names.extend(one.op.name for one in tf.global_variables())
        return outputs

    result = collect(tf, build, max_steps=_STEPS)
    return dict(result, names=words(sorted(names)))


@gold
def decay_of_weights_is_apart_from_adam(tf: Any) -> Result:
    return _trained(tf, lambda _: tf.contrib.opt.AdamWOptimizer(0.125, learning_rate=0.25), _linear_loss)


@gold
def decay_of_weights_is_apart_from_momentum(tf: Any) -> Result:
    def make(_: Any) -> Any:
        return tf.contrib.opt.MomentumWOptimizer(tf.constant(0.25), 0.125, tf.constant(0.5), use_nesterov=True)

    return _trained(tf, make, _linear_loss)


@gold
def decay_of_weights_extends_any_optimizer(tf: Any) -> Result:
    def make(_: Any) -> Any:
        extended = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        return extended(weight_decay=0.5, learning_rate=0.125, name="Slowly")

    return _trained(tf, make, _linear_loss)


@gold
def decay_of_weights_is_of_the_listed_variables(tf: Any) -> Result:
    class OfSome(tf.contrib.opt.AdamWOptimizer):  # type: ignore[misc, name-defined]
        def apply_gradients(self, grads_and_vars: Any, global_step: Any, name: Any = None) -> Any:
            listed = [variable for _, variable in grads_and_vars][1:3]
            return super().apply_gradients(grads_and_vars, global_step, name, decay_var_list=listed)

    return _trained(tf, lambda _: OfSome(0.5, beta1=0.5, epsilon=0.25, name="mine"), _linear_loss)


@gold
def minimize_lets_all_variables_decay_whatever_is_listed(tf: Any) -> Result:
    listed: List[Any] = []

    def make(variables: List[Any]) -> Any:
        listed.extend(variables[1:3])
        return tf.contrib.opt.MomentumWOptimizer(0.5, 0.125, 0.5)

    return _trained(tf, make, _linear_loss, decay_var_list=listed)


@gold
def lazy_adam_updates_the_rows_that_were_read(tf: Any) -> Result:
    return _trained(tf, lambda _: tf.contrib.opt.LazyAdamOptimizer(0.125, beta2=0.75))


@gold
def nadam_looks_ahead(tf: Any) -> Result:
    return _trained(tf, lambda _: tf.contrib.opt.NadamOptimizer(0.125, 0.75, 0.5, 0.0625, name="Nadam"))


@gold
def adamax_divides_by_the_largest_gradient(tf: Any) -> Result:
    return _trained(tf, lambda _: tf.contrib.opt.AdaMaxOptimizer(0.125, beta2=0.75))


@gold
def lars_scales_the_rate_of_each_variable(tf: Any) -> Result:
    def make(_: Any) -> Any:
        return tf.contrib.opt.LARSOptimizer(0.5, 0.75, 0.125, 0.0625, 0.25, skip_list=["resource/whole"])

    return _trained(tf, make)


@gold
def lars_with_nesterov_and_its_defaults(tf: Any) -> Result:
    return _trained(tf, lambda _: tf.contrib.opt.LARSOptimizer(8.0, use_nesterov=True, name="layerwise"))


def _averaging(tf: Any, **arguments: Any) -> Any:
    return tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.125), 0.75, **arguments)


def _averages(tf: Any, **arguments: Any) -> Result:
    """The averages after each step, and what the swapping saver saves in the end."""
    names: List[str] = []

    def build() -> Dict[str, Any]:
        variables = _variables(tf)
        optimizer = _averaging(tf, **arguments)
        train = optimizer.minimize(_loss(tf, variables), tf.train.get_or_create_global_step())
        names.extend([train.name, *sorted(one.op.name for one in tf.global_variables())])
        kept = [one for one in tf.global_variables() if one.op.name.endswith("Average")]
        with tf.control_dependencies([train]):
            return {one.op.name.replace("/", "_"): tf.identity(one.read_value()) for one in kept}

    result = collect(tf, build, max_steps=_STEPS)
    return dict(result, names=words(names))


@gold
def averages_follow_the_update(tf: Any) -> Result:
    return _averages(tf)


@gold
def averages_adapt_to_the_number_of_updates(tf: Any) -> Result:
    return _averages(tf, num_updates=2)


@gold
def a_swapping_saver_saves_averages_as_the_variables(tf: Any) -> Result:
    def save(choose: Callable[[List[Any]], Any], **arguments: Any) -> Result:
        with tf.Graph().as_default(), temporary_directory() as folder:
            optimizer, variables = _averaging(tf), _variables(tf)
            train = optimizer.minimize(_loss(tf, variables), tf.train.get_or_create_global_step())
            saver = optimizer.swapping_saver(choose(tf.global_variables()), **arguments)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for _ in range(2):
                    session.run(train)
                path = saver.save(session, os.path.join(folder, "model"))
            reader = tf.train.NewCheckpointReader(path)
            return {name.replace("/", "_"): reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}

    by_name: Dict[str, Result] = {
        "all": save(lambda variables: None),
        "some": save(lambda variables: [one for one in variables if "whole" in one.op.name], max_to_keep=2),
        "renamed": save(lambda variables: {f"my/{one.op.name}": one for one in variables}, name="mine"),
    }
    return {f"{kind}_{name}": array for kind, arrays in by_name.items() for name, array in arrays.items()}


@gold
def a_swapping_saver_needs_averages(tf: Any) -> Result:
    with tf.Graph().as_default():
        optimizer, variables = _averaging(tf), _variables(tf)
        too_early = error_at_call(tf, optimizer.swapping_saver)
        optimizer.minimize(_loss(tf, variables))
        return {
            "before_the_step": too_early,
            "of_a_variable_without_its_average": error_at_call(tf, lambda: optimizer.swapping_saver(variables)),
        }


def _minimized(tf: Any, values: Any, make: Callable[[Any], Any], **arguments: Any) -> Result:
    """The variables that an optimizer of SciPy finds, and what it called the functions with."""
    seen: Dict[str, int] = {"steps": 0, "losses": 0}
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(np.float32(value), name="v") for value in values]
        optimizer = make(variables)

        def step(vector: Any) -> None:
            seen["steps"] = vector.size

        def loss(*fetched: Any) -> None:
            seen["losses"] = len(fetched)

        session.run(tf.global_variables_initializer())
        optimizer.minimize(session, fetches=[variables[0]], step_callback=step, loss_callback=loss, **arguments)
        # Where its steps end depends on SciPy: about the minimum.
        found = [np.round(np.float64(value), 2) + 0.0 for value in session.run(variables)]
    return dict({"v_%d" % number: value for number, value in enumerate(found)}, seen=np.array(sorted(seen.values())))


@gold
def scipy_minimizes_a_loss_over_all_variables(tf: Any) -> Result:
    def make(variables: Any) -> Any:
        loss = tf.reduce_sum((variables[0] - [[1.0, 2.0]]) ** 2) + tf.square(variables[1] + 3.0)
        return tf.contrib.opt.ScipyOptimizerInterface(loss, options={"maxiter": 100})

    return _minimized(tf, [[[7.0, 7.0]], 1.0, [5.0]], make)


@gold
def scipy_respects_bounds(tf: Any) -> Result:
    def make(variables: Any) -> Any:
        loss = tf.reduce_sum(variables[0] ** 2) + tf.reduce_sum((variables[1] - 1.0) ** 2)
        bounds = {variables[0]: ([1.0, 2.0], np.inf)}
        return tf.contrib.opt.ScipyOptimizerInterface(loss, var_list=variables[:2], var_to_bounds=bounds)

    return _minimized(tf, [[7.0, 7.0], [2.0], 4.0], make)


@gold
def scipy_respects_constraints_and_is_fed(tf: Any) -> Result:
    fed: Dict[Any, Any] = {}

    def make(variables: Any) -> Any:
        scale = tf.placeholder(tf.float32, [])
        fed[scale] = 2.0
        vector = variables[0]
        return tf.contrib.opt.ScipyOptimizerInterface(
            scale * tf.reduce_sum(vector**2), equalities=[vector[1] - 1.0], inequalities=[vector[0] - 1.5 * scale],
            method="SLSQP",
        )  # fmt: skip

    return _minimized(tf, [[7.0, 7.0]], make, feed_dict=fed)


@gold
def an_interface_to_scipy_refuses_what_it_sets_itself(tf: Any) -> Result:
    def refused(name: str) -> Any:
        def make(variables: Any) -> Any:
            return tf.contrib.opt.ScipyOptimizerInterface(variables[0] ** 2, **{name: []})

        return error_at_call(tf, lambda: _minimized(tf, [1.0], make))

    def base() -> None:
        _minimized(tf, [1.0], lambda variables: tf.contrib.opt.ExternalOptimizerInterface(variables[0] ** 2))

    found = {name: refused(name) for name in ("bounds", "constraints", "jac", "callback")}
    return dict(found, base=error_at_call(tf, base))
