"""What touches: schedules, and how they are found."""

from poise.contact.agreement import EventAgreement as EventAgreement
from poise.contact.agreement import PartAgreement as PartAgreement
from poise.contact.agreement import contact_agreement as contact_agreement
from poise.contact.detection import detect_contacts as detect_contacts
from poise.contact.floor import estimate_ground as estimate_ground
from poise.contact.gravity_check import Flight as Flight
from poise.contact.gravity_check import GravityCheck as GravityCheck
from poise.contact.gravity_check import check_gravity as check_gravity
from poise.contact.phases import Phase as Phase
from poise.contact.phases import phases as phases
from poise.contact.schedule import BODY_PARTS as BODY_PARTS
from poise.contact.schedule import ContactSchedule as ContactSchedule
from poise.contact.schedule import intervals as intervals
from poise.contact.schedule_files import read_contacts as read_contacts
from poise.contact.schedule_files import write_contacts as write_contacts
