"""What a text of an alert is."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_daemon.words.word import Language


@dataclass(frozen=True, slots=True)
class AlertText:
    """What is wrong, in a few words, and what to do, in a sentence or two; ``ends`` says for the reference when the
    alert is cleared."""

    english: str
    simplified: str
    traditional: str
    english_do: str
    simplified_do: str
    traditional_do: str
    ends: str

    def what(self, language: Language | str) -> str:
        """What is wrong. Raises ``ValueError`` for a language that there is not."""
        return self._in(language, self.english, self.simplified, self.traditional)

    def todo(self, language: Language | str) -> str:
        """What to do. Raises ``ValueError`` for a language that there is not."""
        return self._in(language, self.english_do, self.simplified_do, self.traditional_do)

    @staticmethod
    def _in(language: Language | str, english: str, simplified: str, traditional: str) -> str:
        match Language(language):
            case Language.ENGLISH:
                return english
            case Language.SIMPLIFIED:
                return simplified
            case Language.TRADITIONAL:
                return traditional
