"""Plain data drawn as accessible SVG, HTML, Vega-Lite and terminal text. Standard library only.

chart = tradeoff("What one answer reveals", {"epsilon = 1": points})
svg(chart)   html(chart)   vega_lite(chart)   terminal(chart)
"""

from twoworlds.figures.charts import Axis, Chart
from twoworlds.figures.checks import Undrawable
from twoworlds.figures.kinds import burn_down, curves, histogram, privacy_curve, two_laws
from twoworlds.figures.pages import html
from twoworlds.figures.series import Area, Bar, Bars, Dot, Dots, Line
from twoworlds.figures.terminals import terminal
from twoworlds.figures.tradeoffs import tradeoff
from twoworlds.figures.vectors import svg
from twoworlds.figures.vega import vega_lite

__all__ = [
    "Area",
    "Axis",
    "Bar",
    "Bars",
    "Chart",
    "Dot",
    "Dots",
    "Line",
    "Undrawable",
    "burn_down",
    "curves",
    "histogram",
    "html",
    "privacy_curve",
    "svg",
    "terminal",
    "tradeoff",
    "two_laws",
    "vega_lite",
]
