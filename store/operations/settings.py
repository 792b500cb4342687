"""The store's own settings, and the one that stops the queue."""

from core.bounds import NAME_LIMIT
from core.jobs import Json
from core.jsontext import check_text, dumps
from store.job_columns import reason_column
from store.operations.base import Operation
from store.rows import load
from store.views.leading import SETTING

PAUSED = "paused"
SETTING_LIMIT = 65_536
SET = """
INSERT INTO settings (name, value, updated_at, updated_by) VALUES (:name, :value, :now, :actor)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
                                 updated_by = excluded.updated_by
"""
FORGET = "DELETE FROM settings WHERE name = :name"


class Settings(Operation):
    """What is set for the whole store."""

    def pause(self, reason: str | None = None) -> bool:
        """Start nothing more until someone resumes; False when that was so already."""
        reason = reason_column(reason)
        if self.setting(PAUSED) is not None:
            return False
        self.set_setting(PAUSED, {"by": self.actor, "at": self.now_us, "reason": reason})
        return True

    def resume(self) -> bool:
        """Start jobs again; False when nothing was paused."""
        return self.forget_setting(PAUSED)

    def setting(self, name: str) -> Json | None:
        """A setting's value, None when it was never set."""
        row = self.one(SETTING, name=name)
        return None if row is None else load(row["value"])

    def set_setting(self, name: str, value: Json) -> None:
        """Give a setting a value that JSON can hold."""
        check_text(name, "the name of a setting", NAME_LIMIT)
        self.run(SET, name=name, value=dumps(value, f"the setting {name}", SETTING_LIMIT))

    def forget_setting(self, name: str) -> bool:
        """Take a setting away; False when it was never set."""
        return bool(self.run(FORGET, name=name))
