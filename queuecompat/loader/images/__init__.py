"""Lists of image files, decoded, cropped and mirrored by the background loader's workers.

The modules, in the order in which an example passes through them::

    image_list.py         reads the list: lines of "path label", pairs, or folders (classes.py)
    reading.py            reads and decodes a file; raises the error that names it
    kinds.py              the format of a file, by its bytes; dimensions.py its size; png.py its chunks
    decoders.py           the table of decoders, and what they make of images that are not plain RGB
    resizing.py           resizes an image, or a random part of it
    crops.py              chooses a crop, and writes it in one pass
    means.py              the mean that is subtracted; measuring.py measures it
    pixels.py             the steps from the pixels of a crop to the numbers of an example
    loading.py            all of that as ``load`` of a ``BackgroundLoader``
    image_list_loader.py  ``ImageListLoader``; arguments.py checks its arguments
"""
