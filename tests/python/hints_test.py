"""The hints of the compiled part are those of the module, and everything public is documented."""

import ast
import inspect
import os
import re
import unittest

import toroid
from toroid import _core


def hinted():
    """By the name of each thing in _core.pyi: its parameters, or, of a class, those of its members."""
    with open(os.path.join(os.path.dirname(toroid.__file__), "_core.pyi")) as file:
        tree = ast.parse(file.read())

    def parameters(function):
        return [argument.arg for argument in function.args.args]

    things = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            things[node.name] = parameters(node)
        elif isinstance(node, ast.AnnAssign):
            things[node.target.id] = None
        elif isinstance(node, ast.ClassDef):
            members = {}
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    is_property = any(getattr(one, "id", "") == "property" for one in member.decorator_list)
                    members[member.name] = None if is_property else parameters(member)
                elif isinstance(member, ast.AnnAssign):
                    members[member.target.id] = None
            things[node.name] = members
    return things


def parameters_of(function):
    """The names of parameters, as pybind11 has them in the first line of the documentation."""
    signature = function.__doc__.splitlines()[0]
    inner = re.match(r"\w+\((.*)\) -> ", signature).group(1)
    return re.findall(r"(?:^|, )(\w+)(?=:)", re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", inner)))


def keyword_hints():
    """The classes of options.pyi: for each function the keywords that are in the place of its **options. A class begins
    with the largest one before it whose keywords it has, too; what schedule and sweep have in common is `run`."""
    hints = {}
    for name in ("matrix", "metrics", "map", "simulate", "compare", "schedule", "sweep"):
        known = inspect.signature(getattr(toroid, name)).parameters
        hints[name] = {key: hint for key, hint in _core.keywords(name).items() if key not in known}
    hints = {"run": dict(item for item in hints["schedule"].items() if item in hints["sweep"].items()), **hints}
    texts = []
    for place, (name, own) in enumerate(hints.items()):
        smaller = [other for other in list(hints)[:place] if hints[other].items() <= own.items()]
        base = max(smaller, key=lambda other: len(hints[other]), default=None)
        lines = [f"    {key}: Optional[{hint}]" for key, hint in own.items() if key not in hints.get(base, ())]
        head = f"{base.capitalize()}Options" if base else "TypedDict"
        texts.append("\n".join([f"class {name.capitalize()}Options({head}, total=False):", *lines, ""]))
    return "\n".join(texts)


class Hints(unittest.TestCase):
    def test_keywords_are_those_of_the_tables(self):
        path = os.path.join(os.path.dirname(toroid.__file__), "options.pyi")
        with open(path) as file:
            hand, mark, written = file.read().partition("class ")
        if os.environ.get("TOROID_REFRESH_DOCS") == "1":
            source = os.path.join(os.path.dirname(__file__), "../../python/toroid/options.pyi")
            with open(source, "w") as file:
                file.write(f"{hand}{keyword_hints()}")
        else:
            self.assertEqual(mark + written, keyword_hints())

    def test_name_what_there_is(self):
        hints = hinted()
        there = {name for name in vars(_core) if not name.startswith("__") or name == "__version__"}
        self.assertEqual(there, set(hints))
        for name, hint in hints.items():
            thing = getattr(_core, name)
            if isinstance(hint, list):
                self.assertEqual(parameters_of(thing), hint, name)
            elif isinstance(hint, dict) and not issubclass(thing, Exception):
                members = {member for member in vars(thing) if not member.startswith("__")}
                self.assertEqual(members, set(hint), name)
                for member, parameters in hint.items():
                    if parameters is not None:
                        self.assertEqual(parameters_of(getattr(thing, member))[1:], parameters[1:], f"{name}.{member}")

    def test_everything_public_is_documented(self):
        for name in toroid.__all__:
            thing = getattr(toroid, name)
            if name == "__version__" or getattr(thing, "__module__", "") == "toroid._core":
                continue
            self.assertTrue(thing.__doc__, name)
            members = [value for key, value in vars(thing).items() if not key.startswith("_")] if inspect.isclass(thing) else []
            for member in members:
                self.assertTrue(member.__doc__, f"{name}: {member}")
            for function in [thing] if inspect.isfunction(thing) else []:
                for parameter in inspect.signature(function).parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{name}: {parameter}")
                self.assertIsNot(inspect.signature(function).return_annotation, inspect.Signature.empty, name)


if __name__ == "__main__":
    unittest.main()
