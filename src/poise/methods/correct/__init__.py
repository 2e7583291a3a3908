"""Correcting captured motion: what touches what is found, and what is impossible removed.

Lee & Lee 2018, "Projective Motion Correction with Contact Optimization".
"""
