"""Templates, and the schedules that submit them by the clock."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from core.jsontext import PARAMS_LIMIT
from core.schedules import CatchUp, Overlap
from store.schema.base import NAME_LIMIT, TEXT_LIMIT, check, index, instant, json_rule, metadata, required
from store.sqltext import one_of

job_templates = Table(
    "job_templates",
    metadata,
    Column("id", Integer, primary_key=True),
    required("template_id"),
    required("name"),
    required("job_type"),
    required("created_at", Integer),
    required("created_by"),
    required("updated_at", Integer),
    # Removed, not deleted: the jobs it made go on naming it.
    instant("removed_at"),
    required("options", Text, "'{}'"),
    required("params", Text, "'{}'"),
    UniqueConstraint("template_id", name="job_templates_template_id_is_unique"),
    check("job_templates_name_has_a_length", f"length(name) BETWEEN 1 AND {NAME_LIMIT}"),
    check("job_templates_job_type_has_a_length", f"length(job_type) BETWEEN 1 AND {NAME_LIMIT}"),
    check("job_templates_options_are_json", json_rule("options", "object", PARAMS_LIMIT)),
    check("job_templates_params_are_json", json_rule("params", "object", PARAMS_LIMIT)),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("job_templates_one_per_name", job_templates, "name", where="removed_at IS NULL", unique=True)

schedules = Table(
    "schedules",
    metadata,
    Column("id", Integer, primary_key=True),
    required("schedule_id"),
    required("name"),
    Column(
        "template_id",
        Text,
        ForeignKey("job_templates.template_id", name="schedules_template_id_is_a_template"),
        nullable=False,
    ),
    required("cron_expression"),
    required("timezone", Text, "'UTC'"),
    required("enabled", Integer, "1"),
    required("catch_up", Text, "'one'"),
    required("overlap", Text, "'skip'"),
    required("pause_on_failure", Integer, "0"),
    instant("last_triggered_at"),
    instant("next_trigger_at"),
    required("fired_count", Integer, "0"),
    required("skipped_count", Integer, "0"),
    required("missed_count", Integer, "0"),
    Column("last_skip_reason", Text),
    required("created_at", Integer),
    required("created_by"),
    required("updated_at", Integer),
    instant("removed_at"),
    required("param_overrides", Text, "'{}'"),
    UniqueConstraint("schedule_id", name="schedules_schedule_id_is_unique"),
    check("schedules_name_has_a_length", f"length(name) BETWEEN 1 AND {NAME_LIMIT}"),
    check("schedules_cron_has_a_length", "length(cron_expression) BETWEEN 1 AND 256"),
    check("schedules_flags_are_0_or_1", "enabled IN (0, 1) AND pause_on_failure IN (0, 1)"),
    check("schedules_catch_up_is_known", one_of("catch_up", CatchUp)),
    check("schedules_overlap_is_known", one_of("overlap", Overlap)),
    check("schedules_enabled_has_its_next", "enabled = 0 OR next_trigger_at IS NOT NULL"),
    check("schedules_removed_is_off", "removed_at IS NULL OR enabled = 0"),
    check("schedules_counts_count_up", "fired_count >= 0 AND skipped_count >= 0 AND missed_count >= 0"),
    check(
        "schedules_next_is_after_last",
        "last_triggered_at IS NULL OR enabled = 0 OR next_trigger_at > last_triggered_at",
    ),
    check("schedules_overrides_are_json", json_rule("param_overrides", "object", PARAMS_LIMIT)),
    check("schedules_reason_has_bounds", f"length(coalesce(last_skip_reason, '')) <= {TEXT_LIMIT}"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("schedules_one_per_name", schedules, "name", where="removed_at IS NULL", unique=True)
index("schedules_due", schedules, "next_trigger_at", where="enabled = 1")
index("schedules_of_template", schedules, "template_id", where="removed_at IS NULL")
