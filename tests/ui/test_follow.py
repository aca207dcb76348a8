"""Channels by which screens follow another: numbered, bounded, and silent about what is private."""

from __future__ import annotations

from readback.ui.common.state.follow import CHANNELS, SEEN, SILENT, Channels


class Clock:
    """Seconds that only a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_follower_is_told_each_change_once() -> None:
    channels = Channels()
    token = channels.open_channel("/prompts?record=1", "Ada")
    assert channels.look_up(token, "b") == ("/prompts?record=1", 0, False, "Ada")
    assert channels.publish(token, "/prompts?record=1", False)
    assert channels.look_up(token, "b") == ("/prompts?record=1", 0, False, "Ada")
    assert channels.publish(token, "/findings", False)
    assert channels.look_up(token, "b") == ("/findings", 1, False, "Ada")


def test_a_private_upload_is_not_passed_on() -> None:
    channels = Channels()
    token = channels.open_channel("/", "Ada")
    channels.publish(token, "/prompts?workspace=upload-secret", True)
    assert channels.look_up(token, "b") == ("", 1, True, "Ada")
    channels.publish(token, "/results", False)
    assert channels.look_up(token, "b") == ("/results", 2, False, "Ada")


def test_nobody_is_followed_by_a_guess_or_after_the_end() -> None:
    channels = Channels()
    token = channels.open_channel("/", "Ada")
    assert channels.look_up("guess", "b") is None
    assert channels.look_up(f"{token} ", "b") is None
    channels.close_channel(token)
    channels.close_channel(token)
    assert channels.look_up(token, "b") is None
    assert not channels.publish(token, "/", False)


def test_followers_are_counted_while_they_look_and_channels_are_bounded() -> None:
    clock = Clock()
    channels = Channels(clock)
    token = channels.open_channel("/", "Ada")
    channels.look_up(token, "b")
    clock.now = SEEN / 2
    channels.look_up(token, "c")
    assert channels.count_followers(token) == 2
    clock.now = SEEN + 1
    assert channels.count_followers(token) == 1
    tokens = []
    for number in range(CHANNELS):
        clock.now += 1
        tokens.append(channels.open_channel(f"/{number}", ""))
    assert channels.look_up(token, "b") is None
    assert channels.look_up(tokens[0], "b") is not None
    clock.now += SILENT + 1
    fresh = channels.open_channel("/", "")
    assert [channels.look_up(each, "b") for each in tokens] == [None] * CHANNELS
    assert channels.look_up(fresh, "b") is not None
