"""Optimizers outside of TensorFlow, which call a session for the loss and its gradients: those of SciPy."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]

# Of a vector of all variables: the loss and its gradient, or the value or the gradient of a constraint.
Evaluation = Callable[[np.ndarray], List[Any]]


class ExternalOptimizerInterface:
    """The base of such optimizers; a derived class has ``_minimize``.

    Args:
      loss: a scalar.
      var_list: the variables to change; all trainable variables if None.
      equalities, inequalities: scalars that shall be 0, or not negative.
      var_to_bounds: for some variables, the least and the greatest value: two numbers, or two arrays that broadcast to
        the shape of the variable.
      **optimizer_kwargs: for ``_minimize``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/external_optimizer.py``.
    """

    def __init__(
        self,
        loss: tf.Tensor,
        var_list: Optional[Sequence[Any]] = None,
        equalities: Optional[Sequence[tf.Tensor]] = None,
        inequalities: Optional[Sequence[tf.Tensor]] = None,
        var_to_bounds: Optional[Dict[Any, Tuple[Any, Any]]] = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._vars = list(tf.trainable_variables() if var_list is None else var_list)
        self._shapes = [tuple(var.shape.as_list()) for var in self._vars]
        self.optimizer_kwargs = optimizer_kwargs
        self._bounds = self._all_bounds(var_to_bounds)
        self._given = [tf.placeholder(var.dtype.base_dtype, shape) for var, shape in zip(self._vars, self._shapes)]
        self._updates = [var.assign(given) for var, given in zip(self._vars, self._given)]
        self._start = _vector(self._vars)
        self._loss = [loss, self._gradient(loss)]
        self._equalities = [(one, self._gradient(one)) for one in equalities or ()]
        self._inequalities = [(one, self._gradient(one)) for one in inequalities or ()]

    def minimize(
        self,
        session: Optional[tf.Session] = None,
        feed_dict: Optional[Dict[Any, Any]] = None,
        fetches: Optional[List[Any]] = None,
        step_callback: Optional[Callable[[np.ndarray], Any]] = None,
        loss_callback: Optional[Callable[..., Any]] = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss now, and then sets the variables.

        Args:
          session: the default session if None.
          feed_dict: for each evaluation.
          fetches: what each evaluation fetches for *loss_callback*.
          step_callback: called at each step of the optimizer with all variables, in one vector.
          loss_callback: called with the values of *fetches* whenever the loss was computed.
          **run_kwargs: for the ``session.run`` that sets the variables.
        """
        session = session or tf.get_default_session()

        def evaluation(tensors: Sequence[Any], callback: Optional[Callable[..., Any]] = None) -> Evaluation:
            def evaluate(vector: np.ndarray) -> List[Any]:
                values = session.run([*tensors, *(fetches or ())], {**dict(self._split(vector)), **(feed_dict or {})})
                if callback is not None:
                    callback(*values[len(tensors) :])
                return values[: len(tensors)]

            return evaluate

        found = self._minimize(
            initial_val=session.run(self._start),
            loss_grad_func=evaluation(self._loss, loss_callback),
            equality_funcs=[evaluation([value]) for value, _ in self._equalities],
            equality_grad_funcs=[evaluation([gradient]) for _, gradient in self._equalities],
            inequality_funcs=[evaluation([value]) for value, _ in self._inequalities],
            inequality_grad_funcs=[evaluation([gradient]) for _, gradient in self._inequalities],
            packed_bounds=self._bounds,
            step_callback=step_callback or (lambda vector: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [value for _, value in self._split(found)]
        session.run(self._updates, dict(zip(self._given, values)), **run_kwargs)

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: Evaluation,
        equality_funcs: List[Evaluation],
        equality_grad_funcs: List[Evaluation],
        inequality_funcs: List[Evaluation],
        inequality_grad_funcs: List[Evaluation],
        packed_bounds: Any,
        step_callback: Callable[[np.ndarray], Any],
        optimizer_kwargs: Dict[str, Any],
    ) -> np.ndarray:
        """Returns the vector of all variables at which the loss is least.

        Args:
          packed_bounds: a pair for each number of the vector, or None.
        """
        raise NotImplementedError("a class derived from ExternalOptimizerInterface must define _minimize")

    def _split(self, vector: np.ndarray) -> List[Tuple[Any, np.ndarray]]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])
        parts = np.split(vector, ends[:-1])
        return [(var, part.reshape(shape)) for var, part, shape in zip(self._vars, parts, self._shapes)]

    def _gradient(self, value: tf.Tensor) -> tf.Tensor:
        gradients = tf.gradients(value, self._vars)
        return _vector([tf.zeros_like(var) if one is None else one for var, one in zip(self._vars, gradients)])

    def _all_bounds(self, of_variables: Optional[Dict[Any, Tuple[Any, Any]]]) -> Optional[List[Tuple[float, float]]]:
        if of_variables is None:
            return None
        bounds: List[Tuple[float, float]] = []
        for var, shape in zip(self._vars, self._shapes):
            low, high = (np.broadcast_to(one, shape).ravel() for one in of_variables.get(var, (-np.inf, np.inf)))
            bounds.extend(zip(low, high))
        return bounds


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """``scipy.optimize.minimize``; needs SciPy.

    Args:
      loss, var_list, equalities, inequalities, var_to_bounds: as in ``ExternalOptimizerInterface``.
      method: of SciPy's; "L-BFGS-B" by default. Equalities and inequalities need a different one, such as "SLSQP".
      **optimizer_kwargs: further arguments of ``scipy.optimize.minimize``, such as *options*.
    Raises:
      ValueError: when it minimizes, *optimizer_kwargs* contain *bounds*, *callback*, *constraints* or *jac*, which are
        set here.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/opt/python/training/external_optimizer.py``.
    """

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: Evaluation,
        equality_funcs: List[Evaluation],
        equality_grad_funcs: List[Evaluation],
        inequality_funcs: List[Evaluation],
        inequality_grad_funcs: List[Evaluation],
        packed_bounds: Any,
        step_callback: Callable[[np.ndarray], Any],
        optimizer_kwargs: Dict[str, Any],
    ) -> np.ndarray:
        # Later versions of SciPy take only doubles.
        def loss_and_gradient(vector: np.ndarray) -> Tuple[Any, np.ndarray]:
            loss, gradient = loss_grad_func(vector)
            return float(loss), gradient.astype(np.float64)

        limits = [("eq", *both) for both in zip(equality_funcs, equality_grad_funcs)]
        limits += [("ineq", *both) for both in zip(inequality_funcs, inequality_grad_funcs)]
        arguments = {
            "jac": True,
            "callback": step_callback,
            "constraints": [
                {"type": kind, "fun": _double(value), "jac": _double(gradient)} for kind, value, gradient in limits
            ],
            "bounds": packed_bounds,
        }
        clashing = sorted(set(arguments) & set(optimizer_kwargs))
        if clashing:
            raise ValueError(f"{', '.join(clashing)}: set by {type(self).__name__}; bounds are its var_to_bounds")
        import scipy.optimize

        result = scipy.optimize.minimize(
            loss_and_gradient, initial_val.astype(np.float64), **{"method": "L-BFGS-B", **arguments, **optimizer_kwargs}
        )
        counts = ", ".join(f"{name} {result[name]}" for name in ("nit", "nfev") if name in result)
        tf.logging.info("%s: the loss is %f (%s)", result.message, result.fun, counts)
        found: np.ndarray = result["x"]
        return found


def _vector(tensors: Sequence[Any]) -> tf.Tensor:
    return tf.concat([tf.reshape(one, [-1]) for one in tensors], 0)


def _double(evaluation: Evaluation) -> Callable[[np.ndarray], Any]:
    """*evaluation* of one tensor."""
    return lambda vector: np.float64(evaluation(vector)[0])
