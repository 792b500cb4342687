"""What is set up: every template and every schedule, for those who read and for those who change it."""

from core.jobs import Schedule, Template
from store.rows import schedule_of
from store.template_rows import template_of
from store.tx import Tx

TEMPLATES = "SELECT * FROM job_templates WHERE removed_at IS NULL ORDER BY name"
SCHEDULES = """
SELECT s.*, t.name AS template_name FROM schedules s JOIN job_templates t ON t.template_id = s.template_id
WHERE s.removed_at IS NULL ORDER BY s.name
"""


class SetupViews(Tx):
    """Templates and schedules, whole."""

    def templates(self) -> list[Template]:
        """The templates, by name."""
        return [template_of(row) for row in self.all(TEMPLATES)]

    def schedules(self) -> list[Schedule]:
        """The schedules, by name."""
        return [schedule_of(row) for row in self.all(SCHEDULES)]
