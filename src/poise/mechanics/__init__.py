"""How bodies move: compiled kernels, batched over frames, that every method and measure shares.

Frames come first in every array; a single pose may come without the frame axis and counts as one
frame. Velocities are the root origin's in world axes, and each joint's angular velocity relative to
its parent in the joint's own frame; accelerations are the time derivatives of those numbers.
Quaternions are taken to be unit. `parallel=False` keeps a call on one core; the bits are the same.
"""

from poise.mechanics.center_of_mass import carried_inertias_kg_m2 as carried_inertias_kg_m2
from poise.mechanics.center_of_mass import center_of_mass as center_of_mass
from poise.mechanics.inverse_dynamics import GRAVITY_M_S2 as GRAVITY_M_S2
from poise.mechanics.inverse_dynamics import JointForces as JointForces
from poise.mechanics.inverse_dynamics import inverse_dynamics as inverse_dynamics
from poise.mechanics.inverse_dynamics import segment_constants as segment_constants
from poise.mechanics.inverse_dynamics_points import PointForces as PointForces
from poise.mechanics.inverse_dynamics_points import PointScratch as PointScratch
from poise.mechanics.inverse_dynamics_points import make_point_forces as make_point_forces
from poise.mechanics.inverse_dynamics_points import make_point_scratch as make_point_scratch
from poise.mechanics.inverse_dynamics_points import points_of_wrench as points_of_wrench
from poise.mechanics.inverse_dynamics_rates import BALL as BALL
from poise.mechanics.inverse_dynamics_rates import HINGE as HINGE
from poise.mechanics.inverse_dynamics_rates import TRANSLATION as TRANSLATION
from poise.mechanics.inverse_dynamics_rates import Blocks as Blocks
from poise.mechanics.inverse_dynamics_rates import RateScratch as RateScratch
from poise.mechanics.inverse_dynamics_rates import make_rate_scratch as make_rate_scratch
from poise.mechanics.inverse_dynamics_rates import wrench_rates as wrench_rates
from poise.mechanics.joint_moment_points import points_of_moments as points_of_moments
from poise.mechanics.joint_moment_rates import joint_moment_rates as joint_moment_rates
from poise.mechanics.joint_moment_rates import joint_moments as joint_moments
from poise.mechanics.kinematics import BodyState as BodyState
from poise.mechanics.kinematics import forward_kinematics as forward_kinematics
from poise.mechanics.kinematics import moving_table as moving_table
from poise.mechanics.kinematics import place_pose as place_pose
from poise.mechanics.kinematics import site_positions as site_positions
from poise.mechanics.limb_capsules import Capsule as Capsule
from poise.mechanics.limb_capsules import Limbs as Limbs
from poise.mechanics.limb_capsules import apart_m as apart_m
from poise.mechanics.limb_capsules import capsules as capsules
from poise.mechanics.limb_capsules import deepest_overlap_m as deepest_overlap_m
from poise.mechanics.limb_capsules import gaps_at_rest_m as gaps_at_rest_m
from poise.mechanics.limb_capsules import gaps_m as gaps_m
from poise.mechanics.limb_capsules import limbs_of as limbs_of
from poise.mechanics.limb_capsules import with_spheres as with_spheres
from poise.mechanics.momentum import momentum as momentum
from poise.mechanics.momentum import momentum_matrix as momentum_matrix
from poise.mechanics.momentum import momentum_rate as momentum_rate
from poise.mechanics.quaternion_kernels import Quaternion as Quaternion
from poise.mechanics.quaternion_kernels import Vector as Vector
from poise.mechanics.quaternion_kernels import between as between
from poise.mechanics.quaternion_kernels import cross as cross
from poise.mechanics.quaternion_kernels import exponential as exponential
from poise.mechanics.quaternion_kernels import exponential_rate as exponential_rate
from poise.mechanics.quaternion_kernels import logarithm as logarithm
from poise.mechanics.quaternion_kernels import logarithm_rate as logarithm_rate
from poise.mechanics.quaternion_kernels import moved_by as moved_by
from poise.mechanics.quaternion_kernels import multiply as multiply
from poise.mechanics.quaternion_kernels import normalized as normalized
from poise.mechanics.quaternion_kernels import sine_and_bow as sine_and_bow
from poise.mechanics.quaternion_kernels import turn as turn
from poise.mechanics.quaternion_kernels import turned as turned
from poise.mechanics.subtree_sums import FORCE as FORCE
from poise.mechanics.subtree_sums import PLACE as PLACE
from poise.mechanics.subtree_sums import TURN as TURN
from poise.mechanics.subtree_sums import FrameMotion as FrameMotion
from poise.mechanics.subtree_sums import Segments as Segments
from poise.mechanics.subtree_sums import matrix_at as matrix_at
from poise.mechanics.subtree_sums import sum_subtrees as sum_subtrees
from poise.mechanics.subtree_sums import vector_at as vector_at
from poise.mechanics.wrenches import Wrenches as Wrenches
from poise.mechanics.wrenches import point_forces as point_forces
from poise.mechanics.zero_moment_point import zero_moment_point as zero_moment_point
from poise.one_line import show_records as _show_records

_show_records(globals())
