"""The verbs of `wt`, a module each: HELP, arguments(parser), run(repository, args) -> data, lines(data) -> text."""
