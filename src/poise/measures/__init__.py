"""What came out: every figure anyone quotes, defined once and independent of the methods."""

from poise.measures.evaluate import UNDER_INPUT_CONTACTS as UNDER_INPUT_CONTACTS
from poise.measures.evaluate import Evaluation as Evaluation
from poise.measures.evaluate import evaluate as evaluate
from poise.measures.installed import MeasureFamily as MeasureFamily
from poise.measures.installed import measure_kinds as measure_kinds
from poise.measures.measure import Measure as Measure
from poise.measures.table import ALL as ALL
from poise.measures.table import GROUPS as GROUPS
from poise.measures.table import KINDS as KINDS
from poise.measures.table import OTHER as OTHER
from poise.measures.table import Figures as Figures
from poise.measures.table import MeasureKind as MeasureKind
from poise.one_line import show_records as _show_records

_show_records(globals())
