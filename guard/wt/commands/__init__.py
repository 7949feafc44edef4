"""The verbs of `wt`, a module each: arguments(parser), run(repository, args) -> data, lines(data) -> text."""
