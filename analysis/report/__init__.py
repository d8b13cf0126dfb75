"""The report: figures, tables, sentences and the one HTML file, all made from the frames that are written."""
