"""The plan: a pipeline as data. Its steps, the stages that it is made from, and the contracts of those who run it."""
