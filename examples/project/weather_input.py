"""The days of three years, as lines of CSV: their air pressure, their humidity, and the temperature at noon."""

import os

import numpy as np
import tensorflow as tf

YEARS, DAYS = 3, 120


def write_years(folder):
    """Writes one file for each year; its first line is a header."""
    random = np.random.RandomState(0)
    for year in range(YEARS):
        with open(os.path.join(folder, "year_%d.csv" % year), "w") as file:
            file.write("pressure,humidity,temperature\n")
            for _ in range(DAYS):
                pressure, humidity = random.normal(1013, 8), random.uniform(30, 90)
                temperature = 20 + 0.5 * (pressure - 1013) - 0.2 * (humidity - 60) + random.normal(0, 1)
                file.write("%.1f,%.1f,%.1f\n" % (pressure, humidity, temperature))


def days(folder, batch_size, num_epochs):
    """Batches of days, float32 [batch_size, 2], and of their temperatures, float32 [batch_size]."""
    files = [os.path.join(folder, "year_%d.csv" % year) for year in range(YEARS)]
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs, seed=1)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    pressure, humidity, temperature = tf.decode_csv(line, [[0.0], [0.0], [0.0]])
    day = tf.stack([(pressure - 1013.0) * 0.125, (humidity - 60.0) * 0.0625])
    return tf.train.batch([day, temperature], batch_size)
