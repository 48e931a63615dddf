"""Facts about TensorFlow's ops as plain data, for the compiler and for ``migrate``; no TensorFlow here."""
