"""The framework is chosen at run time: import_module and __import__ in place of an import statement."""
import importlib

backend = importlib.import_module('tensorflow')
train = backend.train
slim = importlib.import_module('tensorflow.contrib.slim')
same = __import__('tensorflow')

queue = train.string_input_producer(['p', 'q', 'r'], shuffle=False, num_epochs=1)
value = backend.string_join([queue.dequeue(), '!'])
batch = same.train.batch([value], batch_size=3)
print(same is backend, slim.__name__.split('.')[-1])
with backend.Session() as sess:
    sess.run(backend.local_variables_initializer())
    coord = train.Coordinator()
    threads = train.start_queue_runners(sess=sess, coord=coord)
    print(b' '.join(sess.run(batch)).decode())
    coord.request_stop()
    coord.join(threads)
