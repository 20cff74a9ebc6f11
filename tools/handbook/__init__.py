"""Every learner's page and the reference, made of the catalogue and of what docs/guide/*.toml say.

tried       what a learner can do, found by having it do so
written     what is written by hand: mathematics, when to use it, cost, example, picture
tex         formulas as MathML, so that no page fetches anything to show them
page        one learner's page          reference   the pages of the public names
"""
