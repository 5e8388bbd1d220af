"""Schedules: a plan as the step-by-step program of every core."""
