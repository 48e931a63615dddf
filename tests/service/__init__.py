"""Pipelines that the workers of tf.data's service compute: real processes, on this machine."""
