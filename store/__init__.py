"""The durable truth: schema, triggers, operations and read models."""
