"""Templates: named kinds of jobs. Removed, they keep their rows, because the jobs they made go on naming them."""

from dataclasses import replace

from core.bounds import NAME_LIMIT
from core.ids import uuid7
from core.jobs import NewJob, Template
from core.jsontext import check_text
from core.refusals import NoSuchThing, Refused
from store.operations.base import Operation
from store.rows import Row
from store.template_rows import template_columns, template_of

TEMPLATE = "SELECT * FROM job_templates WHERE name = :name AND removed_at IS NULL"
ADD = """
INSERT INTO job_templates (template_id, name, job_type, created_at, created_by, updated_at, options, params)
VALUES (:template_id, :name, :job_type, :now, :actor, :now, :options, :params)
"""
REPLACE = """
UPDATE job_templates SET job_type = :job_type, options = :options, params = :params, updated_at = :now
WHERE template_id = :template_id AND removed_at IS NULL
"""
REMOVE = """
UPDATE job_templates SET removed_at = :now, updated_at = :now WHERE template_id = :template_id AND removed_at IS NULL
"""
USED_BY = "SELECT name FROM schedules WHERE template_id = :template_id AND removed_at IS NULL ORDER BY name"


class Templates(Operation):
    """Adding, replacing and removing templates."""

    def add_template(self, name: str, new: NewJob) -> Template:
        """Keep a kind of job under a name that is free."""
        check_text(name, "the name of a template", NAME_LIMIT)
        columns = template_columns(new)
        if self.one(TEMPLATE, name=name) is not None:
            raise Refused(f'there is a template "{name}" already; remove it first, or take another name')
        self.run(ADD, template_id=uuid7(self.now_us // 1000), name=name, **columns)
        return template_of(self.template_row(name))

    def replace_template(self, name: str, new: NewJob) -> Template:
        """Give a template other contents; jobs it has made stay as they are."""
        row = self.template_row(name)
        # A job that came from this very template says so, which is nothing that the template itself keeps.
        own = new.template_id == row["template_id"]
        columns = template_columns(replace(new, template_id=None) if own else new)
        self.run(REPLACE, template_id=row["template_id"], **columns)
        return template_of(self.template_row(name))

    def remove_template(self, name: str) -> None:
        """Take a template away, unless a schedule uses it."""
        row = self.template_row(name)
        users = [f'"{user["name"]}"' for user in self.all(USED_BY, template_id=row["template_id"])]
        if users:
            word = "schedule" if len(users) == 1 else "schedules"
            them = "it" if len(users) == 1 else "them"
            raise Refused(f'template "{name}" is used by {word} {", ".join(users)}; remove {them} first')
        self.run(REMOVE, template_id=row["template_id"])

    def template_row(self, name: str) -> Row:
        """The row of the template of that name."""
        row = self.one(TEMPLATE, name=name)
        if row is None:
            raise NoSuchThing(f'there is no template "{name}"')
        return row
