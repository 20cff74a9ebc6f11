"""Tables and where they come from: what is outward stands here, each kind of source has a room.

delimited/   text in columns: CSV and its kin, fixed width, sheets of workbooks, 0/1 tables
arff/        Weka's format, dense and sparse
memory/      frames, arrays, sparse matrices, Arrow's C interface
batches/     what comes in batches of typed columns: Parquet, Arrow, JSON lines, svmlight, baskets
databases/   SQLite and PostgreSQL
out/         tables and other files on their way out
"""
