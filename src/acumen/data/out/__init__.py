"""On the way out: delimited text and ARFF, other libraries' frames, and files written whole or not at all."""
