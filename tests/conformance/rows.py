"""Prints the rows of the Service Validator's Excel report, one JSON object a line.

Columns go by their headings, so that a new column in the report changes nothing here.
"""

import json
import sys

import openpyxl

SHEET = "Results"

rows = openpyxl.load_workbook(sys.argv[1], read_only=True)[SHEET].iter_rows(values_only=True)
headings = next(rows)
for row in rows:
    print(json.dumps({name: "" if cell is None else str(cell) for name, cell in zip(headings, row)}))
