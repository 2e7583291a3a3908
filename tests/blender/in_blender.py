"""Runs inside Blender's Python: import a file, tell where every bone is in every frame.

It must not import Poise: what it says has to be Blender's word alone.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector


def main(order_path: str) -> None:
    order = json.loads(Path(order_path).read_text(encoding="utf-8"))
    for task in order["tasks"]:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        first = import_file(task, order["rate_hz"])
        armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
        save_bones(armature, first, order["frame_count"], task["bones"])
        if "skin" in task:
            save_skin(first, task["skin_frames"], task["skin"])
        if "export" in task:
            bpy.ops.export_scene.gltf(
                filepath=task["export"],
                export_format="GLB",
                export_animations=True,
                export_frame_range=True,
                export_force_sampling=True,
                export_leaf_bone=True,
            )
        if "pictures" in task:
            render(armature, first, task["pictures"], task["picture_frames"])


def import_file(task: dict, rate_hz: float) -> int:
    """Import; returns the Blender frame that the file's first frame landed on."""
    scene = bpy.context.scene
    scene.render.fps = math.ceil(rate_hz)
    scene.render.fps_base = math.ceil(rate_hz) / rate_hz
    if task["file"].endswith(".bvh"):
        bpy.ops.import_anim.bvh(
            filepath=task["file"],
            global_scale=task["unit_m"],
            frame_start=1,
            use_fps_scale=False,
            update_scene_duration=True,
            axis_forward="-Z",
            axis_up="Y",
        )
        return 1
    bpy.ops.import_scene.gltf(filepath=task["file"])
    return 0


def save_bones(armature, first: int, frame_count: int, path: str) -> None:
    scene = bpy.context.scene
    bones = armature.pose.bones
    heads = np.zeros((frame_count, len(bones), 3))
    tails = np.zeros_like(heads)
    scene.frame_start, scene.frame_end = first, first + frame_count - 1
    for frame in range(frame_count):
        scene.frame_set(first + frame)
        world = armature.matrix_world
        for column, bone in enumerate(bones):
            heads[frame, column] = world @ bone.head
            tails[frame, column] = world @ bone.tail
    np.savez(path, names=np.array([b.name for b in bones]), heads=heads, tails=tails)


def save_skin(first: int, frames: list[int], path: str) -> None:
    """Where Blender's skinning puts every vertex of the body."""
    body = next(o for o in bpy.data.objects if o.type == "MESH" and o.name.startswith("Body"))
    vertices = []
    for frame in frames:
        bpy.context.scene.frame_set(first + frame)
        seen = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        vertices.append([seen.matrix_world @ v.co for v in seen.data.vertices])
    np.savez(path, vertices=np.array(vertices))


def render(armature, first: int, prefix: str, frames: list[int]) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", 8
    scene.render.resolution_x, scene.render.resolution_y = 420, 520
    scene.world = bpy.data.worlds.new("world")
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.0, (0.7, 0.2, 0.5)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    for thing in (sun, camera):
        scene.collection.objects.link(thing)
    scene.camera = camera
    bpy.ops.mesh.primitive_plane_add(size=30)
    for frame in frames:
        scene.frame_set(first + frame)
        root = armature.matrix_world @ armature.pose.bones[0].head
        aim = Vector((root.x, root.y, 0.8))
        camera.location = aim + Vector((2.4, -1.6, 0.6))
        camera.rotation_euler = (aim - camera.location).to_track_quat("-Z", "Y").to_euler()
        scene.render.filepath = f"{prefix}{frame:04d}.png"
        bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main(sys.argv[1])
