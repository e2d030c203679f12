"""Our maximum likelihood fits beside the recorded results of other programs: the table of agreement.

Differences of log-likelihoods are absolute, of coefficients and standard errors relative. The target of a record is the
package's own result; where that does not agree, an independent optimiser of the same likelihood decides, and the table
says what the package did.
"""

from tests.reference.agreement import compare_all, tell_agreement
from tests.reference.levels import tell_levels
from tests.reference.records import FOLDER_VARIABLE, read_records, reference_folder


def main(arguments):
    if reference_folder() is None:
        raise SystemExit(f"The results are not part of the package: set {FOLDER_VARIABLE} to their folder.")
    print("\n".join(tell_agreement(*compare_all())))
    print("\nWithout a model:\n")
    print("\n".join(tell_levels(read_records())))
