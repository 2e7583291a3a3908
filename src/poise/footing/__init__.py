"""What touches, as tasks that hold exactly: feet on their prints, other parts on their spots.

Shared by the methods that end in poses: `correct` recovers joint angles with it, `momentum` lands
leaps on it.
"""
