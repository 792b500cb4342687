"""What an examination comes to."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, with whom, in a sentence."""

    subject: str
    words: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found wrong, and what is worth knowing."""

    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, str | int] = field(default_factory=dict)

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def about(job: object) -> str:
    """How a finding names a job."""
    return f"job {job}"
