"""The methods, one folder each; they share the core and do not import each other."""

from poise.methods.constraint_report import ConstraintReport as ConstraintReport
from poise.methods.edit import Edit as Edit
from poise.methods.method import Method as Method
from poise.methods.method import Takes as Takes
from poise.methods.progress import Progress as Progress
from poise.methods.progress import ProgressCallback as ProgressCallback
from poise.methods.readonly_pickle import Parcel as Parcel
from poise.methods.result import Result as Result
from poise.methods.result import Status as Status
from poise.methods.table import METHODS as METHODS
from poise.methods.table import run_method as run_method
