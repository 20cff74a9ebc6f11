# Train one model from the files in parts/; `make -j8` summarises eight of them at a time. The model is byte for byte the
# one that `acumen learn` trains from a single file with all rows.
#
#     make -j8 -f parts.mk TARGET=churned LEARNER=naive-bayes
#
# If a part changes, only that part is summarised again, unless the plan changes too.

ACUMEN  ?= acumen
TARGET  ?= class
LEARNER ?= naive-bayes
PARTS   := $(sort $(wildcard parts/*.csv parts/*.parquet))
SUMS    := $(addsuffix .sum,$(PARTS))

model.acm: all.sum
	$(ACUMEN) learn --from-summary $< -o $@

all.sum: $(SUMS)
	$(ACUMEN) parts merge $(SUMS) -o $@

parts/%.sum: parts/% plan.json
	$(ACUMEN) parts summarise $< --plan plan.json -o $@

plan.json: $(PARTS)
	$(ACUMEN) parts plan $(PARTS) --target $(TARGET) --learner $(LEARNER) -o $@

.PHONY: clean
clean:
	rm -f model.acm all.sum plan.json $(SUMS)
