"""The methods, one folder each; they share the core and do not import each other."""

from poise.methods.constraint_report import ConstraintReport as ConstraintReport
from poise.methods.edit import Edit as Edit
from poise.methods.method import Method as Method
from poise.methods.method import Takes as Takes
from poise.methods.progress import Progress as Progress
from poise.methods.progress import ProgressCallback as ProgressCallback
from poise.methods.readonly_pickle import Parcel as Parcel
from poise.methods.result import Result as Result
from poise.methods.status import STATUSES as STATUSES
from poise.methods.status import Status as Status
from poise.methods.status import StatusMeaning as StatusMeaning
from poise.methods.status import status_words as status_words
from poise.methods.table import METHODS as METHODS
from poise.methods.table import run_method as run_method
from poise.one_line import show_records as _show_records

_show_records(globals())
