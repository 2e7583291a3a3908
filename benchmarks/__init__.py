"""Speed against peers, in one run on one machine, with a committed baseline and a gate."""
