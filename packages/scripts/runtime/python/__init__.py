"""The parts of the program that serves calls of Python scripts."""
