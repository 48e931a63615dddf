# call: read_sentences('text.txt', 2, 6)
# order: fixed
import tensorflow as tf

VOCABULARY = 50


def read_sentences(path, batch_size, max_length):
    queue = tf.train.string_input_producer([path], shuffle=False)
    reader = tf.TextLineReader()
    _, line = reader.read(queue)
    label, sentence = tf.decode_csv(line, [[0], [""]], field_delim="\t")
    words = tf.string_split([sentence]).values
    ids = tf.string_to_hash_bucket_fast(words, VOCABULARY)[:max_length]
    length = tf.size(ids)
    padded = tf.pad(ids, [[0, max_length - length]])
    padded.set_shape([max_length])
    return tf.train.batch([padded, length, label], batch_size)
