"""Prints the rows with a result of a DMTF tool's Excel report, one JSON object a line.

Columns go by their headings, so that a new column in the report changes nothing here.
"""

import json
import sys

import openpyxl

for sheet in openpyxl.load_workbook(sys.argv[1], read_only=True):
    rows = sheet.iter_rows(values_only=True)
    headings = next(rows, ())
    if "Result" not in headings:
        continue
    for row in rows:
        print(json.dumps({name: "" if cell is None else str(cell) for name, cell in zip(headings, row)}))
