"""A small humanoid robot made by code, with feet of any shape, so that no model is needed."""

from __future__ import annotations

from pathlib import Path

BOX_FOOT = '<geom type="box" size=".1 .04 .01" pos=".04 0 -.05"/>'
"""20 by 8 cm, from 6 cm behind the ankle to 14 cm ahead, 6 cm under it."""
MASSES_KG = {"torso": 12.0, "pelvis": 5.0, "thigh": 3.0, "shank": 2.0, "foot": 1.0, "upper": 1.5}
TORQUE_NM = 80.0


def robot_text(foot: str = BOX_FOOT, assets: str = "") -> str:
    """The MJCF of a robot of 1.3 m that faces X.

    Args:
        foot: geoms of its left and right foot, in the frame of the ankle.
        assets: meshes that they name.
    """
    left, right = _side("left", 1, foot), _side("right", -1, foot)
    return f"""
    <mujoco model="tin">
      <compiler angle="radian" autolimits="true"/>
      <default>
        <joint range="-2.5 2.5" actuatorfrcrange="-{TORQUE_NM} {TORQUE_NM}"/>
        <geom mass="0"/>
      </default>
      <asset>{assets}</asset>
      <worldbody><body name="pelvis" pos="0 0 .8"><freejoint/>{_mass("pelvis")}
        <geom size=".08"/>
        <body name="torso" pos="0 0 .1"><joint name="waist_joint" axis="0 0 1"/>{_mass("torso")}
          <geom type="capsule" size=".09" fromto="0 0 .05 0 0 .3"/>
          <body name="head" pos="0 0 .42"><geom size=".08"/></body>{left[1]}{right[1]}
        </body>{left[0]}{right[0]}
      </body></worldbody>
    </mujoco>"""


def written_robot(folder: Path, foot: str = BOX_FOOT, assets: str = "") -> Path:
    """The file of such a robot."""
    path = folder / "tin.xml"
    path.write_text(robot_text(foot, assets), encoding="utf-8")
    return path


def _mass(part: str) -> str:
    mass = MASSES_KG[part]
    inertia = 0.01 * mass
    return f'<inertial mass="{mass}" pos="0 0 0" diaginertia="{inertia} {inertia} {inertia}"/>'


def _side(side: str, y: int, foot: str) -> tuple[str, str]:
    joint = '<joint name="{0}_{1}_joint" axis="{2}"/>'

    def hinge(name: str, axis: str) -> str:
        return joint.format(side, name, axis)

    leg = f"""
      <body name="{side}_hip_pitch_link" pos="0 {0.09 * y} -.05">{hinge("hip_pitch", "0 1 0")}
        {_mass("thigh")}
        <body name="{side}_hip_roll_link">{hinge("hip_roll", "1 0 0")}{_mass("foot")}
          <body name="{side}_hip_yaw_link">{hinge("hip_yaw", "0 0 1")}{_mass("foot")}
            <body name="{side}_knee_link" pos="0 0 -.33">{hinge("knee", "0 1 0")}{_mass("shank")}
              <body name="{side}_ankle_pitch_link" pos="0 0 -.33">
                {hinge("ankle_pitch", "0 1 0")}{_mass("foot")}
                <body name="{side}_ankle_roll_link">{hinge("ankle_roll", "1 0 0")}
                  {_mass("foot")}{foot}
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>"""
    arm = f"""
      <body name="{side}_shoulder_pitch_link" pos="0 {0.16 * y} .28">
        {hinge("shoulder_pitch", "0 1 0")}{_mass("upper")}
        <body name="{side}_shoulder_roll_link">{hinge("shoulder_roll", "1 0 0")}{_mass("foot")}
          <body name="{side}_shoulder_yaw_link">{hinge("shoulder_yaw", "0 0 1")}{_mass("foot")}
            <body name="{side}_elbow_link" pos="0 0 -.22">{hinge("elbow", "0 1 0")}
              {_mass("upper")}<geom type="capsule" size=".03" fromto="0 0 0 0 0 -.2"/>
              <body name="{side}_wrist_link" pos="0 0 -.2">{hinge("wrist_roll", "0 0 1")}
                {_mass("foot")}<geom size=".03" pos="0 0 -.05"/>
              </body>
            </body>
          </body>
        </body>
      </body>"""
    return leg, arm
