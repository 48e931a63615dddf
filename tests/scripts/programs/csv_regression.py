"""Prices of houses by linear regression on CSV files with a header."""

import glob
import json
import os

import tensorflow

tensorflow.app.flags.DEFINE_string("data_dir", "/tmp/data", "The files are data_dir/houses/part-*.csv.")
tensorflow.app.flags.DEFINE_string("summary", "/tmp/csv_regression.json", "Where to write what was seen.")
tensorflow.app.flags.DEFINE_integer("batch_size", 20, "Houses in a batch.")
tensorflow.app.flags.DEFINE_integer("num_epochs", 12, "Passes over the files.")
FLAGS = tensorflow.app.flags.FLAGS

MEAN_AGE = 45.0
DISTRICTS = ["harbour", "hill"]


def read_house(filename_queue):
    """Features of one house, float32 [4], and its price, float32 []."""
    reader = tensorflow.TextLineReader(skip_header_lines=1)
    _, line = reader.read(filename_queue)
    # A house of unknown age gets the mean.
    rooms, age, district, price = tensorflow.decode_csv(line, record_defaults=[[0], [MEAN_AGE], [""], [0.0]])
    one_hot = tensorflow.cast(tensorflow.equal(district, DISTRICTS), tensorflow.float32)
    features = tensorflow.stack([tensorflow.cast(rooms, tensorflow.float32), age / 90.0, one_hot[0], one_hot[1]])
    return features, price / 100.0


def main(unused_argv):
    filenames = sorted(glob.glob(os.path.join(FLAGS.data_dir, "houses", "part-*.csv")))
    filename_queue = tensorflow.train.string_input_producer(filenames, num_epochs=FLAGS.num_epochs, shuffle=False)
    features, price = read_house(filename_queue)
    batch = tensorflow.train.batch({"features": features, "price": price}, batch_size=FLAGS.batch_size)

    weights = tensorflow.Variable(tensorflow.zeros([4, 1]), name="weights")
    predicted = tensorflow.squeeze(tensorflow.matmul(batch["features"], weights), [1])
    loss = tensorflow.reduce_mean(tensorflow.square(predicted - batch["price"]))
    train_op = tensorflow.train.GradientDescentOptimizer(0.05).minimize(loss)

    losses, first_prices = [], []
    with tensorflow.Session() as session:
        session.run([tensorflow.global_variables_initializer(), tensorflow.local_variables_initializer()])
        coordinator = tensorflow.train.Coordinator()
        threads = tensorflow.train.start_queue_runners(session, coordinator)
        try:
            while True:
                _, loss_value, prices = session.run([train_op, loss, batch["price"]])
                losses.append(float(loss_value))
                first_prices.append(float(prices[0]))
        except tensorflow.errors.OutOfRangeError as end:
            coordinator.request_stop(end)
        learned = session.run(weights)[:, 0].tolist()
        coordinator.join(threads)

    with open(FLAGS.summary, "w") as file:
        json.dump({
            "dtypes": {name: tensor.dtype.name for name, tensor in batch.items()},
            "first_prices": first_prices,
            "losses": losses,
            "shapes": {name: tensor.shape.as_list() for name, tensor in batch.items()},
            "weights": learned,
        }, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    tensorflow.app.run(main)
