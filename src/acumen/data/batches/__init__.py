"""Sources that come in batches of typed columns; `batched` has what they share."""
