"""What a monitor is told about a store and its engine, in the text format of Prometheus."""
