"""What came out: every figure anyone quotes, defined once and independent of the methods."""

from poise.measures.evaluate import ALL as ALL
from poise.measures.evaluate import Evaluation as Evaluation
from poise.measures.evaluate import evaluate as evaluate
from poise.measures.measure import Measure as Measure
from poise.measures.observe import observe as observe
from poise.measures.series import Series as Series
