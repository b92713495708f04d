"""What follows from edits: lines, speakers, measurements, profiles, exports, search and graph."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from grga.config import load_config
from grga.edits import EditText, Merge, Reassign, Rename, SetTags, SetTitle
from grga.exports import export
from grga.graph.graph import UtteranceGraph
from grga.index.bm25 import BM25Index
from grga.ingest import import_transcript, index_in_memory
from grga.manifest import digest_of_files
from grga.store import IndexedMeeting, MeetingFolder, Store
from grga.types import Edge, EdgeType, Meeting, Speaker, SpeakerProfile

if TYPE_CHECKING:
    from .conftest import CountingEncoder

MONKEY = "The monkey ate my hat."


def parts(meeting: Meeting, *ids: int) -> list[tuple[str, str]]:
    return [(meeting.name_of(meeting.utterances[id]), meeting.utterances[id].text) for id in ids]


def edges(graph: UtteranceGraph) -> dict[tuple[int, int, EdgeType], tuple[float, str]]:
    return {(e.source, e.target, e.type): (round(e.weight, 3), e.label) for e in graph.edges()}


# --- lines and speakers -----------------------------------------------------------------------------


def test_a_corrected_line_has_other_words_at_the_same_time_and_no_confidence(folder: MeetingFolder) -> None:
    before = folder.read_meeting()
    folder.edit(EditText(utterance=3, text=MONKEY))
    after = folder.read_meeting()
    old, new = before.utterances[3], after.utterances[3]
    assert (new.text, new.span, new.speaker, new.confidence) == (MONKEY, old.span, old.speaker, None)
    assert [word.text for word in new.words] == MONKEY.split()
    assert [word for word in new.words if word.text != "monkey"] == [
        word for word in old.words if word.text != "donkey"
    ]
    assert after.utterances[:3] + after.utterances[4:] == before.utterances[:3] + before.utterances[4:]


def test_a_line_that_is_corrected_back_is_as_it_was_recognised(folder: MeetingFolder) -> None:
    before = folder.read_meeting()
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(EditText(utterance=3, text=before.utterances[3].text))
    assert folder.read_meeting() == before
    assert folder.read_overlay().texts == {}


def test_merged_speakers_are_one(folder: MeetingFolder) -> None:
    before = folder.read_meeting()
    folder.edit(Merge(speaker="S4", into="S2"))
    after = folder.read_meeting()
    assert [speaker.id for speaker in after.speakers] == ["S1", "S2", "S3"]
    henry = [one.id for one in before.utterances if one.speaker == "S4"]
    assert {after.utterances[id].speaker for id in henry} == {"S2"}
    assert {word.speaker for id in henry for word in after.utterances[id].words} == {"S2"}
    spoken = before.speaker("S2").talk_seconds + before.speaker("S4").talk_seconds
    assert after.speaker("S2").talk_seconds == pytest.approx(spoken)
    turns = sum(one.speaker in ("S2", "S4") for one in before.utterances)
    assert f"{turns} turns" in after.speaker("S2").profile.facts["share"]
    assert after.speaker("S1").talk_seconds == before.speaker("S1").talk_seconds


def test_lines_can_be_given_to_another_speaker_and_split_off(folder: MeetingFolder) -> None:
    folder.edit(Reassign(utterances=(3,), speaker="S1"))
    folder.edit(Reassign(utterances=(5, 6)))
    folder.edit(Rename(speaker="S5", name="Ida"))
    meeting = folder.read_meeting()
    assert [meeting.name_of(meeting.utterances[id]) for id in (3, 5, 6)] == ["Grace", "Ida", "Ida"]
    ida = meeting.speaker("S5")
    assert ida.talk_seconds == pytest.approx(sum(meeting.utterances[id].span.duration for id in (5, 6)))
    assert "2 turns" in ida.profile.facts["share"]


def test_a_speaker_whose_last_line_is_taken_is_gone(folder: MeetingFolder) -> None:
    meeting = folder.read_meeting()
    folder.edit(
        Reassign(utterances=tuple(u.id for u in meeting.utterances if u.speaker == "S3"), speaker="S1")
    )
    assert [speaker.name for speaker in folder.read_meeting().speakers] == ["Grace", "Maya", "Henry"]
    folder.edit(Rename(speaker="S1", name="Oliver"))  # a name that is nobody's any more may be used


def test_somebody_who_never_spoke_can_be_merged_away(folder: MeetingFolder) -> None:
    speakers = folder.read_value("speakers.json", tuple[Speaker, ...])
    folder.write_value("speakers.json", tuple[Speaker, ...], (*speakers, Speaker("S5", "Nobody")))
    assert [speaker.name for speaker in folder.read_meeting().speakers][-1] == "Nobody"
    folder.edit(Merge(speaker="S5", into="S2"))
    assert [speaker.id for speaker in folder.read_meeting().speakers] == ["S1", "S2", "S3", "S4"]
    folder.undo()
    assert [speaker.name for speaker in folder.read_meeting().speakers][-1] == "Nobody"


def test_roles_of_an_import_outlive_corrections(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "budget.json"
    lines = [{"speaker": who, "start": i, "end": i + 1, "text": "The budget."} for i, who in enumerate("ABA")]
    people = [{"id": "A", "name": "Ada", "role": "treasurer"}, {"id": "B", "name": "Bo"}]
    source.write_text(json.dumps({"title": "Budget", "speakers": people, "utterances": lines}))
    folder = store.folder(import_transcript(source, store, load_config(None)).meeting)
    before = folder.read_meeting()
    [ada] = [speaker.id for speaker in before.speakers if speaker.name == "Ada"]
    folder.edit(EditText(utterance=1, text="My budget."))
    assert folder.read_meeting().speaker(ada).role == before.speaker(ada).role == "treasurer"


def test_the_overlay_is_what_differs(folder: MeetingFolder) -> None:
    folder.edit(Rename(speaker="S1", name="Grace H."))
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(Reassign(utterances=(0, 5)))
    folder.edit(Reassign(utterances=(0,), speaker="S1"))
    folder.edit(SetTitle(title="Autumn"))
    folder.edit(SetTags(tags=("theatre",)))
    overlay = folder.read_overlay()
    assert overlay.names == {"S1": "Grace H.", "S2": "Maya", "S3": "Oliver", "S4": "Henry", "S5": "Speaker 5"}
    assert (overlay.texts, overlay.speakers) == ({3: MONKEY}, {5: "S5"})
    assert (overlay.title, overlay.tags) == ("Autumn", ("theatre",))


# --- measurements and profiles ----------------------------------------------------------------------


def test_measurements_that_compare_are_derived_again_for_the_speakers_concerned(
    folder: MeetingFolder,
) -> None:
    before = folder.read_meeting()
    folder.edit(Reassign(utterances=(3,), speaker="S1"))
    after = folder.read_meeting()
    for was, now in zip(before.utterances, after.utterances, strict=True):
        assert was.acoustics is not None
        assert now.acoustics is not None
        assert now.acoustics.loudness_db == was.acoustics.loudness_db
        assert now.acoustics.f0_mean_hz == was.acoustics.f0_mean_hz
        if was.speaker in ("S2", "S4"):
            assert now.acoustics == was.acoustics
    changed = [one.id for one, was in zip(after.utterances, before.utterances, strict=True) if one != was]
    assert {after.utterances[id].speaker for id in changed} == {"S1", "S3"}
    # A man's line among a woman's is far below her median.
    was, now = before.utterances[3].acoustics, after.utterances[3].acoustics
    assert was is not None
    assert now is not None
    assert abs(was.f0_semitones or 0) < 2
    assert (now.f0_semitones or 0) < -5


def test_the_rate_of_a_corrected_line_counts_its_new_words(folder: MeetingFolder) -> None:
    before = folder.read_meeting().utterances[3]
    folder.edit(EditText(utterance=3, text="The donkey ate my hat and then my scarf and gloves."))
    after = folder.read_meeting().utterances[3].acoustics
    assert after is not None
    assert after.rate == pytest.approx(11 / before.span.duration, abs=0.01)


def test_profiles_cite_the_corrected_words(folder: MeetingFolder) -> None:
    folder.edit(EditText(utterance=3, text="The zebra ate my hat."))
    folder.edit(EditText(utterance=12, text="No zebra in the hall, please."))
    oliver = folder.read_meeting().speaker("S3").profile
    assert "zebra" in oliver.facts["keywords"]
    assert 3 in oliver.evidence["contributions"]


def test_a_models_facts_stay_while_their_lines_are_unchanged(folder: MeetingFolder) -> None:
    speakers: tuple[Speaker, ...] = folder.read_value("speakers.json", tuple[Speaker, ...])
    folder.write_value("before_enrichment_speakers.json", tuple[Speaker, ...], speakers)
    added = {"stance": ("against the donkey", (3,)), "expertise": ("money", (21,))}
    profile = speakers[2].profile
    enriched = SpeakerProfile(
        {**profile.facts, **{name: text for name, (text, _) in added.items()}},
        {**profile.evidence, **{name: ids for name, (_, ids) in added.items()}},
        "statistics; a model, prompt 1",
    )
    assert speakers[2].id == "S3"
    told = (*speakers[:2], replace(speakers[2], profile=enriched), *speakers[3:])
    folder.write_value("speakers.json", tuple[Speaker, ...], told)
    folder.edit(EditText(utterance=3, text=MONKEY))
    after = folder.read_meeting().speaker("S3").profile
    assert "stance" not in after.facts
    assert (after.facts["expertise"], after.evidence["expertise"]) == ("money", (21,))
    assert after.source == "statistics; a model, prompt 1"
    folder.edit(Reassign(utterances=(21,), speaker="S1"))
    meeting = folder.read_meeting()
    assert all("expertise" not in speaker.profile.facts for speaker in meeting.speakers)


# --- exports ----------------------------------------------------------------------------------------


def test_exports_follow(folder: MeetingFolder) -> None:
    folder.edit(Rename(speaker="S1", name="Grace H."))
    folder.edit(Merge(speaker="S4", into="S2"))
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(SetTitle(title="Autumn"))
    meeting = folder.read_meeting()
    srt, rttm = export(meeting, "srt"), export(meeting, "rttm")
    assert isinstance(srt, str)
    assert isinstance(rttm, str)
    assert f"Oliver: {MONKEY}" in srt
    assert "Grace H.: " in srt
    assert "Henry: " not in srt
    assert {row.split()[7] for row in rttm.splitlines()} == {"Grace_H.", "Maya", "Oliver"}
    record = json.loads(export(meeting, "json"))
    assert record["title"] == "Autumn"
    assert [speaker["name"] for speaker in record["speakers"]] == ["Grace H.", "Maya", "Oliver"]
    line = record["utterances"][3]
    assert (line["speaker"], line["text"], line["confidence"]) == ("Oliver", MONKEY, None)


# --- search and graph -------------------------------------------------------------------------------


def rebuilt(loaded: IndexedMeeting) -> IndexedMeeting:
    """Index the corrected meeting as if it had been recognised that way."""
    return index_in_memory(loaded.meeting, encoder=loaded.encoder)


def assert_equal(loaded: IndexedMeeting, full: IndexedMeeting) -> None:
    np.testing.assert_allclose(loaded.dense.vectors, full.dense.vectors, atol=2e-5)
    for query in ("monkey hat", "heating of the basement", "who pays the cleaning", "zebra"):
        np.testing.assert_array_equal(loaded.bm25.scores(query), full.bm25.scores(query))
    assert edges(loaded.graph) == edges(full.graph)
    assert loaded.meeting == full.meeting


def test_search_finds_the_corrected_words(store: Store, folder: MeetingFolder) -> None:
    folder.edit(EditText(utterance=3, text="The zebra ate my umbrella."))
    loaded = store.load(folder.id)
    assert loaded.bm25.search("zebra", 3)[0].id == 3
    assert loaded.dense.search(loaded.encoder.encode_query("Which animal ate the umbrella?"), 3)[0].id == 3
    assert [hit.id for hit in loaded.bm25.search("hat", 60)] == [
        one.id for one in loaded.meeting.utterances if "hat" in one.text.lower().strip(".,").split()
    ] or 3 not in [hit.id for hit in loaded.bm25.search("hat", 60)]


def test_only_corrected_lines_are_encoded_and_only_once(
    store: Store, folder: MeetingFolder, encoder: CountingEncoder
) -> None:
    store.load(folder.id)
    assert encoder.texts == []
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(EditText(utterance=9, text="Heating is twenty pounds."))
    folder.edit(Merge(speaker="S4", into="S2"))
    store.load(folder.id)
    assert sorted(encoder.texts) == ["Heating is twenty pounds.", MONKEY]
    store.load(folder.id)
    assert len(encoder.texts) == 2
    folder.edit(EditText(utterance=5, text="One more."))
    store.load(folder.id)
    assert encoder.texts[2:] == ["One more."]
    for _ in range(4):
        folder.undo()
    store.load(folder.id)
    assert len(encoder.texts) == 3
    (folder.path / "edited.npz").write_bytes(b"damaged")
    folder.edit(EditText(utterance=3, text=MONKEY))
    store.load(folder.id)
    assert encoder.texts[3:] == [MONKEY]


def test_only_corrected_lines_are_tokenised_again(
    store: Store, folder: MeetingFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import grga.index.bm25 as module

    seen: list[str] = []
    real = module.content_terms
    monkeypatch.setattr(module, "content_terms", lambda text: seen.append(text) or real(text))
    folder.edit(EditText(utterance=3, text=MONKEY))
    loaded = store.load(folder.id)
    assert seen == [MONKEY]
    full = BM25Index.build([one.text for one in loaded.meeting.utterances])
    for query in ("monkey", "donkey", "the hat and the play"):
        np.testing.assert_array_equal(loaded.bm25.scores(query), full.scores(query))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            lambda f: f.edit(EditText(utterance=3, text="The zebra ate that hat, Maya.")), id="text"
        ),
        pytest.param(lambda f: f.edit(EditText(utterance=8, text="Mm-hmm.")), id="backchannel"),
        pytest.param(lambda f: f.edit(Merge(speaker="S4", into="S2")), id="merge"),
        pytest.param(lambda f: f.edit(Reassign(utterances=(3, 20, 21))), id="split"),
        pytest.param(
            lambda f: [
                f.edit(Reassign(utterances=(3, 20, 21))),
                f.edit(EditText(utterance=20, text="No, I do not think that it is a good idea.")),
                f.edit(Merge(speaker="S1", into="S5")),
                f.edit(Rename(speaker="S5", name="Ida")),
            ],
            id="all",
        ),
    ],
)
def test_an_edited_meeting_is_as_if_it_had_been_recognised_that_way(
    store: Store, folder: MeetingFolder, make: Callable[[MeetingFolder], object]
) -> None:
    make(folder)
    loaded = store.load(folder.id)
    assert_equal(loaded, rebuilt(loaded))


def test_a_chinese_meeting_follows_its_edits_too(
    store: Store, install: Callable[[str], MeetingFolder]
) -> None:
    folder = install("rooftop-garden")
    folder.edit(EditText(utterance=3, text="这个主意不错，老周，水桶要多少钱？"))
    folder.edit(Merge(speaker="S3", into="S1"))
    loaded = store.load(folder.id)
    assert loaded.bm25.search("水桶", 1)[0].id == 3
    assert_equal(loaded, rebuilt(loaded))


def test_undoing_everything_gives_the_stored_indices(store: Store, folder: MeetingFolder) -> None:
    before = store.load(folder.id)
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(Merge(speaker="S4", into="S2"))
    folder.undo()
    folder.undo()
    after = store.load(folder.id)
    assert edges(after.graph) == edges(before.graph)
    np.testing.assert_array_equal(after.dense.vectors, before.dense.vectors)
    assert after.meeting == before.meeting


def test_a_models_edges_stay_as_far_as_their_words_still_stand(store: Store, folder: MeetingFolder) -> None:
    stored = json.loads((folder.path / "graph.json").read_text("utf-8"))
    shutil.copyfile(folder.path / "graph.json", folder.path / "before_enrichment_graph.json")
    graph = UtteranceGraph.from_dict(stored)
    links = {
        "source changed": Edge(12, 2, EdgeType.SEMANTIC, 0.9, "twelve"),
        "target changed": Edge(50, 3, EdgeType.SEMANTIC, 0.9, "that animal"),
        "far away": Edge(30, 1, EdgeType.SEMANTIC, 0.9, "it"),
        "entity gone": Edge(3, 55, EdgeType.ENTITY, 0.95, "Donkey"),
        "entity there": Edge(3, 56, EdgeType.ENTITY, 0.95, "Hat"),
    }
    graph.add_edges(links.values())
    folder.write_text("graph.json", json.dumps(graph.to_dict()))
    assert digest_of_files([folder.path / "graph.json"]) != folder.read_manifest().stages["graph"].output
    folder.edit(EditText(utterance=3, text=MONKEY))
    folder.edit(EditText(utterance=12, text="Never mind."))
    folder.edit(Merge(speaker="S4", into="S2"))
    found = set(store.load(folder.id).graph.edges())
    kept = [name for name, edge in links.items() if edge in found]
    assert kept == ["target changed", "far away", "entity there"]


def test_a_home_that_takes_no_cache_can_still_be_read(
    store: Store, folder: MeetingFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder.edit(EditText(utterance=3, text=MONKEY))

    def refuse(source: object, target: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("grga.folder.os.replace", refuse)
    assert store.load(folder.id).bm25.search("monkey", 1)[0].id == 3
    assert "are not kept" in caplog.text
    assert not (Path(folder.path) / "edited.npz").exists()


def test_the_reply_window_of_indexing_is_kept(store: Store, tmp_path: Path) -> None:
    cues = [("Rosa", 1, 4), ("Imran", 5, 8), ("Mei", 12, 14), ("Rosa", 15, 17)]
    lines = (
        f"00:{start:02d}.000 --> 00:{end:02d}.000\n<v {who}>The fee of the hall.\n"
        for who, start, end in cues
    )
    (tmp_path / "fees.vtt").write_text("WEBVTT\n\n" + "\n".join(lines))
    config = load_config(None, overrides={"home": tmp_path, "graph": {"reply_window": 4.5}})
    folder = store.folder(import_transcript(tmp_path / "fees.vtt", store, config).meeting)
    mei = folder.read_meeting().utterances[2].speaker
    folder.edit(Merge(speaker=mei, into=folder.read_meeting().utterances[1].speaker))
    loaded = store.load(folder.id)
    full = index_in_memory(loaded.meeting, encoder=loaded.encoder, reply_window=4.5)
    assert edges(loaded.graph) == edges(full.graph)
    assert edges(full.graph) != edges(index_in_memory(loaded.meeting, encoder=loaded.encoder).graph)
