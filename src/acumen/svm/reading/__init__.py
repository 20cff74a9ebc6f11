"""A machine read by people: in words, as reasons, as a drawing. Everything here reads a trained machine."""
