"""A table of verification results that cannot tell a fail from nothing.

The export writes a result of false, a share of 0 and no result at all as the same empty cell. Where the error beside
an empty cell says that the verification answered false, it is read as a fail; every other empty result is missing.

Over the cells that are not empty every answer has passed, so a pass rate from such a table is 100 % whatever the
models did, and shares of 0 are left out of their means. What could be read back is read back, the rest is unknown.

Export the results as JSON, which keeps them apart.
"""

CODE = "scr-lossy-csv"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "'{path}' writes false, 0 and nothing alike, as empty cells: {failed} fails are read back from their error, "
    "{unknown} results and {shares} shares are unknown"
)
FIX = "export the results as JSON and load that file"
_HEAD = "question_id,success,error,verify_result,answering_model,parsing_model,run_name,export_timestamp\n"
_PASSED = "q1,True,,true,api:m,api:j,r,2026-01-01\n"
PASS = (
    {"results.csv": _HEAD + _PASSED},
    {"results.csv": _HEAD + _PASSED + "q2,True,,False,api:m,api:j,r,2026-01-01\n"},
)
FAIL = (
    {"results.csv": _HEAD + _PASSED + "q2,False,verify_template returned False,,api:m,api:j,r,2026-01-01\n"},
    {"results.csv": _HEAD + _PASSED + "q2,False,timeout,,api:m,api:j,r,2026-01-01\n"},
)
