"""Write the guide's page of every learner (docs/guide/*.md) and the reference (docs/api/*.md). Made, not committed.

python tools/guide.py                    every page
python tools/guide.py naive-bayes ...    some learners' pages alone
python tools/guide.py --check [...]      write nothing; end with 1 where a page cannot be made or is not true

A page is made of the catalogue, of what the learner does when it is tried, and of what is written by hand in
docs/guide/naive-bayes.toml and its like; examples are run and must print what they say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from acumen.registry import entries, entry
from chapter import data
from handbook import page, pictures, reference, written

API = written.ROOT / "docs" / "api"
Made = tuple[Path, str]


def learner_pages(kind: str) -> Iterator[Made]:
    """The page of one learner, and its picture."""
    said, about = written.written()[kind], entry(kind)
    names = written.run(said)
    svg, caption = pictures.drawn(about, said, names)
    yield written.FOLDER / "img" / f"{kind}.svg", svg
    yield written.FOLDER / f"{kind}.md", page.page_of(about, said, caption, worked(about.name))


def worked(name: str) -> list[tuple[str, str]]:
    """The methods of "Learn by example" that a learner belongs to."""
    return [
        (method.title, f"../examples/by-method.md#{method.key}")
        for method in data.methods().values()
        if name in method.names
    ]


def further_pages() -> Iterator[Made]:
    """The index of the guide, and the reference."""
    yield written.FOLDER / "index.md", page.index()
    for name, text in reference.pages().items():
        yield API / name, text


def gaps() -> list[str]:
    """Learners without a page, pages without a learner, public names without a place: none, if all is well."""
    import acumen

    learners, told = {each.kind for each in entries()}, set(written.written())
    found = [
        f"docs/guide/{kind}.toml is missing: the learner has no page." for kind in sorted(learners - told)
    ]
    found += [f"docs/guide/{kind}.toml is about no learner." for kind in sorted(told - learners)]
    places = reference.covered()
    public = set(acumen.__all__) - {"__version__"}
    found += [
        f"acumen.{name} has no place in the reference: see tools/handbook/reference.py."
        for name in sorted(public - set(places))
    ]
    found += [f"acumen.{name} is no public name." for name in sorted(set(places) - public)]
    found += [
        f"acumen.{name} has two places in the reference."
        for name in sorted({n for n in places if places.count(n) > 1})
    ]
    unknown = {each.family for each in written.written().values()} - set(written.families())
    return found + [f"there is no family {name!r} in docs/guide/families.toml." for name in sorted(unknown)]


def main(asked: list[str]) -> int:
    check = "--check" in asked
    wanted = [each for each in asked if each != "--check"]
    faults = gaps()
    made: list[Made] = []
    for kind in wanted or (sorted(written.written()) if not faults else []):
        try:
            made += learner_pages(kind)
        except (AssertionError, ValueError, ArithmeticError) as error:
            faults.append(f"docs/guide/{kind}.toml: {error}")
    if not wanted and not faults:
        made += further_pages()
    for fault in faults:
        print(fault, file=sys.stderr)
    if not check and not faults:
        for path, text in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    print(f"{len(made)} files {'can be made' if check or faults else 'written'}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
