"""What touches: schedules, and how they are found."""

from poise.contact.agreement import EventAgreement as EventAgreement
from poise.contact.agreement import PartAgreement as PartAgreement
from poise.contact.agreement import contact_agreement as contact_agreement
from poise.contact.schedule import BODY_PARTS as BODY_PARTS
from poise.contact.schedule import ContactSchedule as ContactSchedule
from poise.contact.schedule import intervals as intervals
from poise.contact.schedule_files import read_contacts as read_contacts
from poise.contact.schedule_files import write_contacts as write_contacts
