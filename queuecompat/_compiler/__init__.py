"""From a piece of the user's graph to a tf.data pipeline: slices, stages, the plan, passes, lowering."""
