"""Draw figures from plain values as text, SVG and HTML.

escape          names and levels made safe to show
width           how much room a text takes, and making it fit
text            numbers, bars, small histograms, aligned tables
card_text       a data card for the terminal
card_html       a data card for a notebook

svg             elements, paths, measured text          palette   colours, on light ground and on dark
axes            ticks, scales, panels                   sheet     title, legend, notes
values          checks of figure values                 png       pictures of few colours
curves          what curves in the unit square share

roc_curve  pr_curve  lift_chart  confusion_plot  interval_plot  cd_diagram  calibration_plot  learning_plot
points_plot  margin_plot  perceptrons_plot  class_histogram  missing_map  association_map
regions  tree   one figure each: a frozen value, and the function that draws it as SVG
tidy            where the nodes of a tree go            tree_cards, tree_ribbons   what a tree is drawn of
mpl/            the same values as matplotlib axes, a file a subject

report          one self-contained HTML page            report_style   its style sheet
"""
