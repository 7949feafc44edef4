"""wt demo"""
import argparse
HELP = "see it work"
def arguments(parser): pass
def run(repository, args): return {}
def lines(data): return []
