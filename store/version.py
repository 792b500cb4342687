"""The version of the schema that this code reads and writes."""

SCHEMA_VERSION = 3
