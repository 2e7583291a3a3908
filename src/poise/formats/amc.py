"""AMC, the Acclaim motion: a skeleton's numbers frame by frame; `asf` says what they mean.

The file states no frame rate (CMU's are at 120 Hz, which is assumed and said) unless it has the
line `:SAMPLES-PER-SECOND`. Its skeleton is another file: give it, or have it beside the motion
under the same name, under the name before the last underscore (`02_01.amc`, `02.asf`), or alone.
"""

from poise.formats.amc_layout import AmcLayout as AmcLayout
from poise.formats.amc_read import DEFAULT_RATE_HZ as DEFAULT_RATE_HZ
from poise.formats.amc_read import find_skeleton as find_skeleton
from poise.formats.amc_read import read as read
from poise.formats.amc_write import write as write
