"""Every error about user data is raised here, before anything is computed.

An error says what is wrong, the value, where it is and what to do. Estimators call `check_cohort` in ``fit`` and the
smaller checks elsewhere; only tables that are read from files are checked where they are read, in `whether.files`.
"""

from whether.validate.error_types import (
    ArgumentError,
    DataError,
    FollowUpWarning,
    IdentifiabilityWarning,
    LabelsAsTruthWarning,
    MissingTimeError,
)
from whether.validate.features import (
    check_columns,
    check_features,
    check_moments,
    check_table,
    find_outlying,
    resolve_columns,
    resolve_directions,
)
from whether.validate.labels_and_times import (
    check_both_classes,
    check_cohort,
    check_enough_labels,
    check_labels,
    check_needs,
    check_people,
    check_planned_follow_up,
    check_potential_follow_up,
    check_readable,
    check_rows,
    number_groups,
    rank_of_labeled,
)
from whether.validate.per_person import check_lengths, check_times, check_weight, refuse_nobody, unmasked
from whether.validate.records import check_negative, check_one_row_each, check_records
from whether.validate.sparse_features import check_sparse, refuse_sparse, sparse_moments, tidy_sparse
from whether.validate.values import (
    check_bandwidth,
    check_between,
    check_entry_dates,
    check_flags,
    check_known_follow_up,
    check_number,
    check_places,
    check_probabilities,
    check_scores,
    check_share,
    check_whole_number,
)

__all__ = [
    "ArgumentError",
    "DataError",
    "FollowUpWarning",
    "IdentifiabilityWarning",
    "LabelsAsTruthWarning",
    "MissingTimeError",
    "check_bandwidth",
    "check_between",
    "check_both_classes",
    "check_cohort",
    "check_columns",
    "check_enough_labels",
    "check_entry_dates",
    "check_features",
    "check_flags",
    "check_known_follow_up",
    "check_labels",
    "check_lengths",
    "check_moments",
    "check_needs",
    "check_negative",
    "check_number",
    "check_one_row_each",
    "check_people",
    "check_places",
    "check_planned_follow_up",
    "check_potential_follow_up",
    "check_probabilities",
    "check_readable",
    "check_records",
    "check_rows",
    "check_scores",
    "check_share",
    "check_sparse",
    "check_table",
    "check_times",
    "check_weight",
    "check_whole_number",
    "find_outlying",
    "number_groups",
    "rank_of_labeled",
    "refuse_nobody",
    "refuse_sparse",
    "resolve_columns",
    "resolve_directions",
    "sparse_moments",
    "tidy_sparse",
    "unmasked",
]  # fmt: skip
