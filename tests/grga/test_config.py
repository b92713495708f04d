from pathlib import Path

import pytest

from grga.config import Config, load_config
from grga.errors import ConfigError


def test_without_file_and_environment_the_paper_s_numbers_hold() -> None:
    config = load_config(environment={})
    assert config == Config()
    assert (config.agent.tau, config.agent.beta, config.agent.k_max) == (4, 0.5, 5)
    assert config.graph.reply_window == 5.0


def test_environment_wins_over_file_and_the_command_line_over_both(tmp_path: Path) -> None:
    file = tmp_path / "grga.toml"
    file.write_text('home = "a"\n[asr]\nbeam_size = 2\nlanguage = "de"\n')
    config = load_config(
        file, environment={"GRGA_ASR__BEAM_SIZE": "3", "GRGA_HOME": "b"}, overrides={"home": Path("c")}
    )
    assert config.asr.beam_size == 3
    assert config.asr.language == "de"
    assert config.home == Path("c")


def test_options_that_were_not_given_change_nothing() -> None:
    unset = {"home": None, "asr": {"language": None}, "diarization": {"min_speakers": None}}
    assert load_config(environment={}, overrides=unset) == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[asr]\nbeams = 2\n", "unknown setting 'asr.beams'"),
        ("[asr]\nbeam_size = 0\n", "setting 'asr.beam_size' has the value 0"),
        ("[asr\n", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "grga.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(file, environment={})
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_an_unknown_variable_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.toml", environment={})
    with pytest.raises(ConfigError, match="unknown setting 'hom'"):
        load_config(environment={"GRGA_HOM": "x"})
