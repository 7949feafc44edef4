"""The pure part: what a call would do, and what the answer is. No disk, no clock, no client."""
