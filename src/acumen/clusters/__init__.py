"""Groups of rows that belong together: found without a target, judged, and told in words.

face        what the faces of all clusterers share
drawing     rows drawn by their weights; how many rows differ
learners    the faces of learners about centres
"""
