# Thin: dev.py does the work, so that a machine without make has the same commands.
PYTHON ?= python3

COMMANDS = setup lock demo test test-slow test-golden test-blender test-wheel check bench clean

.PHONY: $(COMMANDS)
$(COMMANDS):
	@$(PYTHON) dev.py $@
