// The tokenizer of delimited text and ARFF.
