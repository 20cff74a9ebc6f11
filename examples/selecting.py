"""Feature selection by ranking, filters and wrappers; missing values filled, with measured errors."""

import numpy as np

import acumen

iris = acumen.datasets.load("iris")

# What does each attribute say about the class, by itself?
print(acumen.rank_attributes(iris, by="relief"))

# Noise beside what matters: the filter keeps what chance would not give.
rng = np.random.default_rng(0)
X = np.column_stack([*iris.numeric.columns, rng.normal(size=(150, 10)), iris.labels])
table = acumen.read(X, target=14)
print("kept:", ", ".join(acumen.Filter(by="anova").fit(table).attributes_))

# A learner that chooses its attributes within fit; the score while choosing flatters, the report has the honest one.
wrapper = acumen.Wrapper(acumen.NaiveBayes(), search="floating", selection_rule="one-se", random_state=0)
print("chosen:", ", ".join(wrapper.fit(table).attributes_))
print(wrapper.report(table))

# As many components as there are beyond noise.
print("components:", acumen.PrincipalComponents(n_components="auto", scale=True).fit(table).n_components_)

# Gaps filled by what the other attributes say.
gappy = np.column_stack(iris.numeric.columns)
gappy[rng.random(gappy.shape) < 0.1] = np.nan
print(acumen.complete(gappy))
