"""Things an engineer would try, each run and judged: the call, and what came out.

``python -m benchmarks engineers`` prints a line for each; ``--markdown`` prints the page of the documentation.
"""

import ast
import re
import warnings

import sklearn

from benchmarks.engineer_list import SETUP, TRIALS

LONGEST = 160
PAGE = f"""# What an engineer would try

Each line was run by `python -m benchmarks engineers --markdown`, which prints this page and fails where a result is not
as it should be. Lines marked ⇄ run with `sklearn.set_config(enable_metadata_routing=True)`. How to do these things well
is on {{doc}}`scikit_learn`, {{doc}}`pipelines` and {{doc}}`save_and_load`. Before all of them:

```python
{SETUP.strip()}
```

:::{{container}} tried

| | task | call | what came out |
|---|---|---|---|"""


def attempt(trial, names):
    """Text of what a trial comes to: its warning about labels, its error, or its value."""
    *before, last = ast.parse(trial.code).body
    with warnings.catch_warnings(record=True) as caught, sklearn.config_context(enable_metadata_routing=trial.routing):
        warnings.simplefilter("always")
        try:
            exec(compile(ast.Module(before, []), "<trial>", "exec"), names)
            if isinstance(last, ast.Expr):
                value = repr(eval(compile(ast.Expression(last.value), "<trial>", "eval"), names))
            else:
                exec(compile(ast.Module([last], []), "<trial>", "exec"), names)
                value = "None"
        except Exception as error:
            return " ".join(f"{type(error).__name__}: {error}".split())
    told = [f"{warning.category.__name__}: {warning.message}" for warning in caught if "Truth" in str(warning.category)]
    return " ".join((told[0] if told and "compared_with" not in trial.code else value).split())


def results():
    """Each trial with what came out and whether that is as it should be."""
    names = {"__name__": "trial"}
    exec(SETUP, names)
    for trial in TRIALS:
        said = attempt(trial, names)
        yield trial, said, bool(re.search(trial.gives, said))


def main(arguments):
    as_page, failed = "--markdown" in arguments, 0
    if as_page:
        print(PAGE)
    for number, (trial, said, is_right) in enumerate(results(), start=1):
        failed += not is_right
        short = said[:LONGEST] + (" …" if len(said) > LONGEST else "")
        if as_page:
            aim = trial.aim + (" ⇄" if trial.routing else "")
            cells = [number, aim, f"`` {trial.code} ``", f"`` {short} ``"]
            print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |", flush=True)
        else:
            print(
                f"{number:3d} {'ok  ' if is_right else 'FAIL'} {trial.aim}\n      {trial.code}\n      {short}",
                flush=True,
            )
    if as_page:
        print("\n:::")
    else:
        print(f"\n{len(TRIALS) - failed} of {len(TRIALS)} as they should be.")
    if failed:
        raise SystemExit(1)
