r"""Formulas as they are written in TeX, as MathML, which browsers draw by themselves: nothing is fetched.

    mathml(r"\frac{1}{n} \sum_{i=1}^n x_i")    one formula
    in_text("the mean $\bar x$ ...")           $...$ in a line and $$...$$ on lines of their own

Only what the guide uses is known; anything else is an error, so that no page shows half a formula.
"""

from __future__ import annotations

import re
from html import escape

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SIGNS = {
    "cdot": "⋅",
    "times": "×",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "subseteq": "⊆",
    "cup": "∪",
    "cap": "∩",
    "to": "→",
    "propto": "∝",
    "approx": "≈",
    "sim": "∼",
    "mid": "∣",
    "wedge": "∧",
    "vee": "∨",
    "neg": "¬",
    "pm": "±",
    "equiv": "≡",
    "setminus": "∖",
    "Rightarrow": "⇒",
    "leftarrow": "←",
    "ll": "≪",
    "gg": "≫",
    "lor": "∨",
    "mapsto": "↦",
    "perp": "⊥",
    "circ": "∘",
    "odot": "⊙",
    "otimes": "⊗",
}
_WORDS = {
    "forall": "∀",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "ell": "ℓ",
    "top": "⊤",
    "emptyset": "∅",
    "ldots": "…",
    "dots": "…",
}
_FENCES = {
    "{": "{",
    "}": "}",
    "lVert": "‖",
    "rVert": "‖",
    "|": "‖",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lvert": "|",
    "rvert": "|",
}
_LARGE = {"sum": "∑", "prod": "∏", "int": "∫", "bigcup": "⋃", "bigwedge": "⋀"}
_LIMITS = {"max": "max", "min": "min", "argmax": "arg max", "argmin": "arg min", "inf": "inf", "sup": "sup"}
_FUNCTIONS = (
    "log",
    "exp",
    "ln",
    "det",
    "sin",
    "cos",
    "tanh",
    "tr",
    "rank",
    "sign",
    "Pr",
    "Var",
    "med",
    "sgn",
)
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "vec": "→"}
_SPACES = {"quad": "1em", "qquad": "2em", ",": "0.17em", ";": "0.28em", " ": "0.25em"}
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|(\d+(?:\.\d+)?)|([A-Za-z])|(\s+)|(.)", re.DOTALL)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = [m for m in _TOKEN.finditer(source) if not m.group(4)]
        self.at = 0

    def fail(self, why: str) -> ValueError:
        return ValueError(f"{why} in the formula {self.source!r}")

    def peek(self) -> str | None:
        return self.tokens[self.at].group(0) if self.at < len(self.tokens) else None

    def row(self, until: str | None = None) -> str:
        """Everything up to a closing sign, as one row."""
        parts = []
        while (sign := self.peek()) != until:
            if sign is None:
                raise self.fail(f"{until} is missing")
            parts.append(self.scripted())
        self.at += until is not None
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """One thing with what stands below and above it."""
        below, above = None, None
        made, limits = self.one()
        while self.peek() in ("_", "^", "'"):
            sign = self.peek()
            self.at += 1
            if sign == "'":
                above = f"<mrow>{above or ''}<mo>′</mo></mrow>"
            elif sign == "_":
                below = self.argument()
            else:
                above = self.argument() if above is None else f"<mrow>{above}{self.argument()}</mrow>"
        lower, upper = ("under", "over") if limits else ("sub", "sup")
        if below is not None and above is not None:
            return f"<m{lower}{upper}>{made}{below}{above}</m{lower}{upper}>"
        if below is not None:
            return f"<m{lower}>{made}{below}</m{lower}>"
        return made if above is None else f"<m{upper}>{made}{above}</m{upper}>"

    def argument(self) -> str:
        if self.peek() == "{":
            self.at += 1
            return self.row("}")
        return self.one()[0]

    def raw(self) -> str:
        """The text in braces, as it stands."""
        start = self.tokens[self.at]
        if start.group(0) != "{":
            raise self.fail("braces are missing")
        end = self.source.index("}", start.end())
        while self.at < len(self.tokens) and self.tokens[self.at].start() <= end:
            self.at += 1
        return self.source[start.end() : end]

    def one(self) -> tuple[str, bool]:
        """One thing, and whether what belongs to it stands under and over it."""
        if self.at >= len(self.tokens):
            raise self.fail("something is missing at the end")
        match = self.tokens[self.at]
        self.at += 1
        command, number, letter, _, sign = match.groups()
        if number:
            return f"<mn>{number}</mn>", False
        if letter:
            return f"<mi>{letter}</mi>", False
        if command:
            return self.command(command)
        if sign == "{":
            return self.row("}"), False
        if sign in "}_^&*#":
            raise self.fail(f"{sign} is not expected")
        stretchy = ' stretchy="false"' if sign in "()[]|" else ""
        return f"<mo{stretchy}>{escape({'-': '−', ':': ':'}.get(sign, sign))}</mo>", False

    def command(self, name: str) -> tuple[str, bool]:
        if name in _GREEK:
            return f"<mi>{_GREEK[name]}</mi>", False
        if name in _SIGNS:
            return f"<mo>{_SIGNS[name]}</mo>", False
        if name in _WORDS:
            return f"<mi>{_WORDS[name]}</mi>", False
        if name in _FENCES:
            return f'<mo stretchy="false">{_FENCES[name]}</mo>', False
        if name in _LARGE:
            return f'<mo movablelimits="true">{_LARGE[name]}</mo>', name != "int"
        if name in _LIMITS:
            return f'<mo movablelimits="true" lspace="0.1em" rspace="0.17em">{_LIMITS[name]}</mo>', True
        if name in _FUNCTIONS:
            return f'<mrow><mi>{name}</mi><mspace width="0.12em"/></mrow>', False
        if name in _ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{_ACCENTS[name]}</mo></mover>', False
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"/>', False
        if name == "frac":
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>", False
        if name == "binom":
            inner = f'<mfrac linethickness="0">{self.argument()}{self.argument()}</mfrac>'
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>", False
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>", False
        if name == "text":
            said = escape(self.raw()).replace(" ", "\xa0")  # spaces at its ends count
            return f"<mtext>{said}</mtext>", False
        if name == "mathrm":
            return f'<mi mathvariant="normal">{escape(self.raw())}</mi>', False
        if name == "mathcal":
            letter = self.raw()
            script = {"B": "ℬ", "E": "ℰ", "F": "ℱ", "H": "ℋ", "I": "ℐ", "L": "ℒ", "M": "ℳ", "R": "ℛ"}
            return f"<mi>{script.get(letter) or chr(0x1D49C + ord(letter) - ord('A'))}</mi>", False
        if name == "left":
            return self.fenced(), False
        raise self.fail(f"\\{name} is not known")

    def fenced(self) -> str:
        opening = self.fence()
        parts = []
        while self.peek() != "\\right":
            if self.peek() is None:
                raise self.fail("\\right is missing")
            parts.append(self.scripted())
        self.at += 1
        return f"<mrow>{opening}{''.join(parts)}{self.fence()}</mrow>"

    def fence(self) -> str:
        match = self.tokens[self.at]
        self.at += 1
        sign = _FENCES.get(match.group(1), "") if match.group(1) else match.group(0)
        return "" if sign == "." else f'<mo stretchy="true">{escape(sign)}</mo>'


def mathml(source: str, display: bool = False) -> str:
    """A formula as a MathML element."""
    reader = _Reader(source.strip())
    inner = reader.row()
    block = ' display="block"' if display else ""
    return f"<math{block}>{inner}</math>"


def in_text(said: str) -> str:
    """A text whose $...$ and $$...$$ are turned into MathML; lines of formulas of their own become blocks."""

    def block(match: re.Match[str]) -> str:
        return f'\n\n<div class="formula">{mathml(match[1], display=True)}</div>\n\n'

    said = re.sub(r"\s*\$\$(.+?)\$\$\s*", block, said, flags=re.DOTALL)
    return re.sub(
        r"\$(.+?)\$", lambda m: f'<span class="formula">{mathml(m[1])}</span>', said, flags=re.DOTALL
    )
