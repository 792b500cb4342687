"""A store's templates and schedules as a file: written, read, compared and carried out."""
