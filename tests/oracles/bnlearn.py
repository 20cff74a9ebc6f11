"""Networks that R's bnlearn learns by tabu search, with the score of every node.

Source: bnlearn 5.2.1 with R 4.6.1, `tabu(data, score, tabu = n, max.tabu = n)`, and `hc(data)` where n is 0. BDe has
`iss`, the equivalent sample size. `asia` and `learning.test` are bnlearn's samples of 5,000 rows; `coronary` is its
table of 1,841 car workers, which differs from Edwards and Havranek's (1985) in one cell: their 67 smokers with
strenuous mental work, no physical work, low pressure, a low ratio of lipoproteins and no case in the family are listed
as having no mental work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import Attribute, Schema, Table

# fmt: off
#: Rows per combination, the first attribute's level changing fastest.
_CORONARY = (
    44, 107, 112, 0, 129, 145, 12, 23, 35, 12, 80, 33, 109, 67, 7, 9,
    23, 32, 70, 66, 50, 80, 7, 13, 24, 25, 73, 57, 51, 63, 7, 16,
    5, 7, 21, 9, 9, 17, 1, 4, 4, 3, 11, 8, 14, 17, 5, 2,
    7, 3, 14, 14, 9, 16, 2, 3, 4, 0, 13, 11, 5, 14, 4, 4,
)
# fmt: on
_LEVELS = {
    "Smoking": ("no", "yes"),
    "M. Work": ("no", "yes"),
    "P. Work": ("no", "yes"),
    "Pressure": ("<140", ">140"),
    "Proteins": ("<3", ">3"),
    "Family": ("neg", "pos"),
}


def coronary() -> Table:
    """bnlearn's `coronary`, row by row."""
    cells = np.repeat(np.arange(64), _CORONARY)
    schema = Schema(tuple(Attribute(name, "nominal", levels) for name, levels in _LEVELS.items()))
    return Table(schema, len(cells), nominal=[(cells >> place & 1).astype(np.int32) for place in range(6)])


@dataclass(frozen=True)
class Learned:
    """A search and what it ends with: arcs as "parent>child", the sum of the nodes' scores."""

    data: str
    score: str
    tabu: int
    alpha: float
    arcs: tuple[str, ...]
    node_scores: tuple[float, ...]

    @property
    def edges(self) -> set[tuple[str, ...]]:
        return {tuple(arc.split(">")) for arc in self.arcs}


_LEARNING = ("A>B", "A>D", "C>D", "B>E", "F>E")
_LEARNING_BIC = (
    -5501.5682327878039, -3686.9220213269423, -3501.1990963636972,
    -3544.5606521306663, -4302.5221305635941, -3469.9620993254503,
)  # fmt: skip
_ASIA = ("B>D", "L>E", "E>X", "S>B", "T>E", "E>D", "S>L")
_ASIA_BIC = (
    -246.82169066231026, -3469.9044988554269, -256.31658272028403, -1099.3967936811835,
    -3021.9642325011396, -17.034386382832476, -848.06344285626585, -2147.7916817340324,
)  # fmt: skip
_HEART = (
    "M. Work>Proteins", "Smoking>M. Work", "Smoking>Proteins", "Smoking>P. Work",
    "Pressure>M. Work", "P. Work>M. Work", "M. Work>Family", "Smoking>Pressure",
)  # fmt: skip
_HEART_BIC = (
    -1278.06050414468, -940.55908013890678, -1269.8156124299189,
    -1258.6559258608647, -1222.8354117243293, -751.08429934534945,
)  # fmt: skip
_HEART_BEYOND = (
    "Smoking>M. Work", "Smoking>Proteins", "Pressure>M. Work", "P. Work>M. Work", "M. Work>Family",
    "Smoking>Pressure", "Pressure>Proteins", "Proteins>M. Work", "Smoking>P. Work", "Proteins>P. Work",
)  # fmt: skip
_HEART_BEYOND_BIC = (
    -1278.06050414468, -912.51457496376884, -1266.4961354914774,
    -1258.6559258608647, -1251.7314418875567, -751.08429934534945,
)  # fmt: skip

# fmt: off
LEARNED = (
    *(Learned("learning.test", "bic", n, 1, _LEARNING, _LEARNING_BIC) for n in (1, 5, 30)),
    Learned("learning.test", "aic", 10, 1, _LEARNING, (
        -5495.0510395963875, -3667.3704417526938, -3494.6819031722812,
        -3485.9059134079203, -4263.4189714150971, -3466.703502729742)),
    Learned("learning.test", "k2", 10, 1, ("B>A", "A>D", "C>D", "B>E", "F>E"), (
        -4342.5973944772541, -4840.1743947451396, -3501.0895669018719,
        -3516.5769337820284, -4287.5010841367512, -3469.7364644319896)),
    Learned("learning.test", "bde", 10, 10, _LEARNING, (
        -5499.3339801667826, -3683.199329565874, -3503.3342626921876,
        -3522.8104693479963, -4290.134810713198, -3468.8367729150486)),
    *(Learned("asia", "bic", n, 1, _ASIA, _ASIA_BIC) for n in (1, 5, 30)),
    Learned("asia", "aic", 10, 1, (*_ASIA, "T>B", "A>T", "L>B", "A>S"), (
        -243.56309406660213, -3466.4935766840049, -252.24795262899644, -1092.8796004897672,
        -3012.615740350755, -4, -841.5462496648496, -2134.7572953511999)),
    Learned("asia", "k2", 10, 1,
        ("D>B", "L>E", "E>X", "B>S", "T>E", "L>B", "T>S", "E>S", "E>B", "E>D"), (
        -248.29494740440714, -2910.3168706909719, -257.76687136540568, -1220.5681575417329,
        -2234.2871928206246, -19.553498256512007, -849.05002094835027, -3368.6374595785014)),
    Learned("asia", "bde", 10, 10, (*_ASIA, "A>T", "A>E", "L>X", "T>X", "T>B", "L>A"), (
        -260.40964454191885, -3468.7792759420336, -264.43902508393478, -1104.7322665558168,
        -3019.3114659633229, -19.045628842586794, -851.42233437169716, -2144.0069189907376)),
    *(Learned("coronary", "bic", n, 1, _HEART, _HEART_BIC) for n in (0, 1, 2)),
    *(Learned("coronary", "bic", n, 1, _HEART_BEYOND, _HEART_BEYOND_BIC) for n in (5, 30)),
    Learned("coronary", "aic", 10, 1, (
        "Smoking>M. Work", "Smoking>Proteins", "Smoking>P. Work", "Pressure>M. Work",
        "Pressure>Proteins", "P. Work>M. Work", "Family>M. Work", "Proteins>M. Work",
        "Smoking>Pressure", "Proteins>P. Work", "Proteins>Family", "Pressure>Family"), (
        -1275.3014720540634, -851.86217416260365, -1255.4600071290113,
        -1253.1378616796317, -1240.6953135250906, -750.05793984529248)),
    Learned("coronary", "k2", 10, 1, (
        "M. Work>P. Work", "M. Work>Proteins", "M. Work>Smoking", "Proteins>Smoking",
        "P. Work>Smoking", "Pressure>Smoking", "Family>Smoking", "Family>M. Work",
        "Proteins>Pressure", "M. Work>Pressure", "P. Work>Pressure"), (
        -1193.8395520026077, -1227.9705261956228, -1014.7369809097218,
        -1253.6525324037193, -1236.156561023141, -753.52396354133452)),
    Learned("coronary", "bde", 10, 1, _HEART, (
        -1278.2864314686703, -945.84845843475091, -1270.5903168827672,
        -1259.4238687137067, -1225.1021126074861, -751.48818266831086)),
    Learned("coronary", "bde", 10, 10, (
        "Smoking>M. Work", "Smoking>Proteins", "Smoking>P. Work", "Pressure>M. Work", "P. Work>M. Work",
        "M. Work>Family", "Proteins>M. Work", "P. Work>Proteins", "Proteins>Pressure", "Smoking>Pressure"), (
        -1276.9454212153341, -897.25098980490861, -1267.6761861346413,
        -1252.8871907028101, -1245.973671685977, -751.66466989709124)),
)
# fmt: on
