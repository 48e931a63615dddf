"""From a call of the surface to a stage: the slice before its tensors, and the steps that the call stands for."""
