"""The network that pgmpy learns from 2,000 rows of the alarm network, with its score.

Source: pgmpy 0.1.26, `HillClimbSearch(rows, state_names).estimate(BicScore(rows, state_names), max_indegree=3)` with
all states of the network file, once with its default `tabu_length=100` and once with 0: the same network. `alarm.bif`
is the network of Beinlich et al. (1989) as pgmpy (MIT licence) ships it. The rows are
`BayesNetwork.from_bif(ALARM).sample(2000, random_state=0)`.
"""

from __future__ import annotations

from pathlib import Path

ALARM = Path(__file__).with_name("alarm.bif")

#: The sum of the nodes' BIC scores.
SCORE = -22853.028941975754
#: pgmpy's `BicScore.score` of the networks that acumen learns from these rows.
SCORES_OF_ACUMEN = {"hill-climbing": -22519.879272543632, "tabu": -22507.06430275258}

_ARCS = (
    "ARTCO2>CATECHOL ARTCO2>EXPCO2 ARTCO2>HREKG ARTCO2>VENTALV BP>TPR CO>BP CO>TPR DISCONNECT>VENTTUBE "
    "ERRLOWOUTPUT>HRBP HR>CATECHOL HR>CO HR>HRBP HREKG>ERRCAUTER HREKG>HR HREKG>HRSAT HRSAT>ERRCAUTER HRSAT>HR "
    "INTUBATION>PRESS INTUBATION>SHUNT INTUBATION>VENTLUNG LVEDVOLUME>CVP LVEDVOLUME>HYPOVOLEMIA "
    "LVEDVOLUME>LVFAILURE LVFAILURE>HISTORY PCWP>LVEDVOLUME PRESS>KINKEDTUBE PULMEMBOLUS>PAP PULMEMBOLUS>SHUNT "
    "PVSAT>FIO2 PVSAT>SAO2 SHUNT>SAO2 STROKEVOLUME>CO STROKEVOLUME>HYPOVOLEMIA STROKEVOLUME>LVFAILURE "
    "STROKEVOLUME>PCWP TPR>ANAPHYLAXIS TPR>CATECHOL VENTALV>INTUBATION VENTALV>MINVOL VENTALV>PVSAT "
    "VENTALV>VENTLUNG VENTLUNG>EXPCO2 VENTLUNG>MINVOL VENTMACH>MINVOLSET VENTMACH>VENTTUBE VENTTUBE>ARTCO2 "
    "VENTTUBE>PRESS VENTTUBE>VENTALV "
)
ARCS = [tuple(arc.split(">")) for arc in _ARCS.split()]
