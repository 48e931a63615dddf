"""From a call of the surface to a stage: the slice behind its tensors, and the steps that the call stands for."""
