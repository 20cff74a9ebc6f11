"""Models for other programs: ONNX graphs and PMML documents.

onnx.py          to_onnx; which model is written by what
onnx_graph.py    a graph while it is made
onnx_columns.py  the columns of a table as tensors; conditions
onnx_sums.py     sums of terms
onnx_trees.py    trees and forests
onnx_machines.py machines over a matrix: kernels, decoding, calibration; Gaussians with a covariance
onnx_ensembles.py  members put together
pmml.py          to_pmml; which model is written by what
pmml_xml.py      elements, dictionary and fields
pmml_trees.py pmml_sums.py pmml_bayes.py   what each becomes
"""
