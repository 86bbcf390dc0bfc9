"""Answers that are kept, and forgotten."""

from blockview.core.recent import Recent


def test_the_latest_answers_are_kept_and_some_can_be_forgotten() -> None:
    made: list[int] = []

    def make(key: int) -> str:
        made.append(key)
        return str(key)

    recent = Recent(make, 3)
    assert [recent(key) for key in (1, 2, 3, 1, 4, 1, 3)] == ["1", "2", "3", "1", "4", "1", "3"]
    assert made == [1, 2, 3, 4]
    assert recent(2) == "2" and made == [1, 2, 3, 4, 2]
    recent.forget(lambda key: key == 3)
    assert [recent(key) for key in (1, 2, 3)] == ["1", "2", "3"]
    assert made == [1, 2, 3, 4, 2, 3]
    recent.forget()
    assert recent(1) == "1" and made[-1] == 1
