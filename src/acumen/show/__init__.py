"""Draws plain figure values as text and HTML; knows no learner.

escape      names and levels made safe to show
width       how much room a text takes, and making it fit
text        numbers, bars, small histograms, aligned tables
card_text   a data card for the terminal
card_html   a data card for a notebook
"""
