# A model of the files in parts/, of which `make -j` summarises as many at a time as it is told to. The model is, to the
# byte, the one that `acumen learn` makes of a file of all rows.
#
#     make -j8 -f parts.mk TARGET=churned LEARNER=naive-bayes
#
# A part that has changed is summarised anew, but only where the plan is the same still; else all are.

ACUMEN  ?= acumen
TARGET  ?= class
LEARNER ?= naive-bayes
PARTS   := $(sort $(wildcard parts/*.csv parts/*.parquet))
SUMS    := $(addsuffix .sum,$(PARTS))

model.acm: all.sum
	$(ACUMEN) learn --from-summary $< -o $@

all.sum: $(SUMS)
	$(ACUMEN) add $(SUMS) -o $@

parts/%.sum: parts/% plan.json
	$(ACUMEN) summarise $< --plan plan.json -o $@

plan.json: $(PARTS)
	$(ACUMEN) plan $(PARTS) --target $(TARGET) --learner $(LEARNER) -o $@

.PHONY: clean
clean:
	rm -f model.acm all.sum plan.json $(SUMS)
