"""The chapter "Learn by example": one page for each worked example of the five texts.

data        docs/examples/*.toml as values; what a page must have
running     the code of a page run, its function called, the numbers put into its sentences
judging     printed beside ours and exact, and the mark that follows from the three
template    a page in Markdown
indexes     the pages that lead to pages
"""
