"""Lists of image files, decoded, cropped and mirrored by the background loader's workers.

The way of an example::

    image_list.py         lines of "path label", or pairs
    reading.py            the bytes of a file become pixels, or the error that names it
    kinds.py              what a file is, by its bytes; dimensions.py how large; png.py its chunks
    decoders.py           who decodes that, and what becomes of images that are not plain RGB
    crops.py              which part, and the one pass that writes it
    means.py              what is subtracted; measuring.py measures it
    loading.py            all of that as ``load`` of a ``BackgroundLoader``
    image_list_loader.py  ``ImageListLoader``
"""
