"""Plans: a pipeline as data, the stages that plans are derived from, and the contracts with the back ends."""
