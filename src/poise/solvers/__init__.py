"""Numbers only: no solver ever sees a character.

- linear: bands of blocks (`factor_band`, `solve_band`), with a border (`solve_bordered`), strict
  layers (`add_layer`, `add_wish`), small dense systems, B-splines with free knots (`fit_knots`)
- whole motions: `DampedNewton`, the one damped descent over a band
- forces in friction cones: `cone_least_squares`, and its loops for kernels
- Kalman updates from sigma points or derivatives: `unscented_update`, `linear_update`
- choices: `cheapest_paths`, `likeliest_states`, `VoronoiSampler`; `principal_components`
"""

from poise.solvers.banded_cholesky import Six as Six
from poise.solvers.banded_cholesky import factor_and_solve as factor_and_solve
from poise.solvers.banded_cholesky import factor_band as factor_band
from poise.solvers.banded_cholesky import refactor_band as refactor_band
from poise.solvers.banded_cholesky import six_product as six_product
from poise.solvers.banded_cholesky import solve_band as solve_band
from poise.solvers.banded_cholesky import solve_band_three as solve_band_three
from poise.solvers.banded_cholesky import take_six as take_six
from poise.solvers.cone_least_squares import ConeSettings as ConeSettings
from poise.solvers.cone_least_squares import cone_least_squares as cone_least_squares
from poise.solvers.cone_newton import solve_frames as solve_frames
from poise.solvers.cone_newton import solve_frames_again as solve_frames_again
from poise.solvers.cone_problem import ConePlan as ConePlan
from poise.solvers.cone_problem import Contacts as Contacts
from poise.solvers.cone_problem import Supplied as Supplied
from poise.solvers.damped_newton import DampedNewton as DampedNewton
from poise.solvers.damped_newton import NormalEquations as NormalEquations
from poise.solvers.force_barrier import FORCE as FORCE
from poise.solvers.force_barrier import RATE as RATE
from poise.solvers.force_barrier import Barrier as Barrier
from poise.solvers.force_barrier import eliminate_forces as eliminate_forces
from poise.solvers.force_barrier import make_forces as make_forces
from poise.solvers.knot_fit import DEGREE as DEGREE
from poise.solvers.knot_fit import FittedSpline as FittedSpline
from poise.solvers.knot_fit import fit_knots as fit_knots
from poise.solvers.principal_components import principal_components as principal_components
from poise.solvers.prioritized_least_squares import add_layer as add_layer
from poise.solvers.prioritized_least_squares import add_wish as add_wish
from poise.solvers.shortest_path import CheapestPaths as CheapestPaths
from poise.solvers.shortest_path import Layers as Layers
from poise.solvers.shortest_path import cheapest_paths as cheapest_paths
from poise.solvers.small_dense import add_scaled as add_scaled
from poise.solvers.small_dense import add_to_normal as add_to_normal
from poise.solvers.small_dense import dot as dot
from poise.solvers.small_dense import solve_normal as solve_normal
from poise.solvers.state_paths import StatePaths as StatePaths
from poise.solvers.state_paths import likeliest_states as likeliest_states
from poise.solvers.unscented_update import DEPENDENT as DEPENDENT
from poise.solvers.unscented_update import INDEFINITE as INDEFINITE
from poise.solvers.unscented_update import Measurements as Measurements
from poise.solvers.unscented_update import Spread as Spread
from poise.solvers.unscented_update import linear_update as linear_update
from poise.solvers.unscented_update import paper_spread as paper_spread
from poise.solvers.unscented_update import partial_update as partial_update
from poise.solvers.unscented_update import scaled_spread as scaled_spread
from poise.solvers.unscented_update import unscented_update as unscented_update
from poise.solvers.voronoi_sampling import VoronoiSampler as VoronoiSampler
