"""The data card: what a table holds, and what in it would spoil a classifier.

figures      the values a card is made of
numeric      a numeric column's figures        levels     a nominal column's and the classes'
strings      a text column's                   duplicates rows that occur twice, or contradict each other
leaks        attributes that alone determine the class
findings     what a person should look at, as sentences
card         the card itself                   inspect    the way in
"""
