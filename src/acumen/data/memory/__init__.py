"""Tables that are in memory already, borrowed where that can be; see `reader`."""
