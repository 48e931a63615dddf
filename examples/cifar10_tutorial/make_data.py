"""Writes small files in the binary format of CIFAR-10: a square of one of five colours, at the top or at the bottom."""

from __future__ import absolute_import, division, print_function

import os
import sys

import numpy as np

SIZE, PER_FILE = 32, 200
COLOURS = [[0], [1], [2], [0, 1], [1, 2]]  # which of red, green and blue are bright


def records(random, count):
  """Records of 1 + 3 * 32 * 32 bytes: the label, then the red, green and blue planes."""
  labels = np.arange(count) % (2 * len(COLOURS))
  random.shuffle(labels)
  pixels = random.randint(0, 120, [count, 3, SIZE, SIZE])
  for picture, label in zip(pixels, labels):
    top, left = (6, 16)[label % 2], random.randint(8, 14)
    picture[COLOURS[label // 2], top:top + 10, left:left + 10] += 120
  return np.concatenate([labels[:, None], pixels.reshape([count, -1])], axis=1).astype(np.uint8)


def main(folder):
  random = np.random.RandomState(0)
  if not os.path.isdir(folder):
    os.makedirs(folder)
  for name in ['data_batch_%d.bin' % i for i in range(1, 6)] + ['test_batch.bin']:
    records(random, PER_FILE).tofile(os.path.join(folder, name))
  print('wrote six files of %d pictures' % PER_FILE)


if __name__ == '__main__':
  main(sys.argv[1])
