"""What touches: schedules, and how they are found."""

from poise.contact.schedule import BODY_PARTS as BODY_PARTS
from poise.contact.schedule import ContactSchedule as ContactSchedule
