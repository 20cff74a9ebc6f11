"""The data card: what a table holds, and what in it would mislead a classifier.

figures      the values a card is made of
numeric      a numeric column's figures        levels     a nominal column's and the classes'
strings      a text column's                   duplicates rows that occur twice, or contradict each other
leaks        attributes that alone determine the class
cells        two columns counted against each other
association  what each attribute says about the target
between      how attributes hang together, two by two
groups       what rows are coloured by         pictures   histograms by class, what is missing where
page         the card as one HTML page
findings     what a person should look at, as sentences
moments      mean and deviation from blocks    card       the card itself
inspect      the way in for rows that are here
block_sums, sorted_slices, row_keys    the same of rows that lie apart: what adds, what is sorted, what repeats
"""
