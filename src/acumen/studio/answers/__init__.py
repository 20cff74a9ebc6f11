"""What the worker answers: a function for each question and each job that `studio/names.py` lists.

Each takes the bench, where what was made is kept, and what the page asked for. No arithmetic: every figure is asked of
the rooms below, by the functions that the command line calls.
"""
