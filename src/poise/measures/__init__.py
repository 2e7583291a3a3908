"""What came out: every figure anyone quotes, defined once and independent of the methods."""

from poise.measures.evaluate import ALL as ALL
from poise.measures.evaluate import UNDER_INPUT_CONTACTS as UNDER_INPUT_CONTACTS
from poise.measures.evaluate import Evaluation as Evaluation
from poise.measures.evaluate import evaluate as evaluate
from poise.measures.foot_slide import slide_speeds_m_s as slide_speeds_m_s
from poise.measures.measure import Measure as Measure
from poise.measures.observe import observe as observe
from poise.measures.series import GRAVITY_M_S2 as GRAVITY_M_S2
from poise.measures.series import Series as Series
