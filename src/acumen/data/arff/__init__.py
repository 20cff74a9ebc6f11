"""ARFF, dense and sparse: header, rows, dates; see `reader`."""
