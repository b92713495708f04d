"""Words: what counts as one, in English and Mandarin."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grga.text import clean, content_terms, is_backchannel, names, sentences, stem, tokenize, word_count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's 2.5 euros, isn't it?", ["it", "2.5", "euros", "isn't", "it"]),
        ("The designer’s idea", ["the", "designer", "idea"]),
        ("the LCD 's price", ["the", "lcd", "price"]),
        ("{vocalsound} a T_V_ remote <laugh> [noise]", ["a", "tv", "remote"]),
        ("a hand-held device, 25% off at 19:10", ["a", "hand-held", "device", "25%", "off", "at", "19:10"]),
        ("Über naïve Straße", ["über", "naïve", "straße"]),
        ("", []),
        ("?! ...", []),
    ],
)
def test_words_of_alphabets(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_mandarin_is_cut_into_words() -> None:
    assert tokenize("这个遥控器的电池用太阳能") == ["这个", "遥控器", "的", "电池", "用", "太阳能"]


def test_traditional_characters_meet_simplified_ones() -> None:
    assert tokenize("電池") == tokenize("电池") == ["电池"]


def test_mixed_text_keeps_both_languages() -> None:
    assert tokenize("我们用 LCD 屏幕, okay") == ["我们", "用", "lcd", "屏幕", "okay"]


def test_content_terms_of_questions_and_statements_meet() -> None:
    question = content_terms("Why were the batteries rejected?")
    statement = content_terms("We reject the battery.")
    assert set(question) & set(statement) == {stem("battery"), stem("reject")}


def test_long_mandarin_words_are_found_by_their_parts() -> None:
    assert set(content_terms("遥控")) <= set(content_terms("遥控器"))


def test_stopwords_carry_no_content() -> None:
    assert content_terms("What did they say about it?") == []
    assert content_terms("他们说了什么") == []


@pytest.mark.parametrize(
    "text", ["Mm-hmm .", "Yeah, okay", "{vocalsound}", "嗯", "对对对", "好的", "", "Right. Yeah."]
)
def test_listening_signals(text: str) -> None:
    assert is_backchannel(text)


@pytest.mark.parametrize(
    "text", ["No.", "Yeah, the red one", "I agree", "对，用电池", "okay okay okay okay okay"]
)
def test_statements_are_not_listening_signals(text: str) -> None:
    assert not is_backchannel(text)


def test_sentences_end_at_stops_but_not_inside_numbers() -> None:
    assert sentences("It costs 2.5 euros. Is that fine? Yes") == [
        "It costs 2.5 euros.",
        "Is that fine?",
        "Yes",
    ]
    assert sentences("太贵了。换一个吧！好") == ["太贵了。", "换一个吧！", "好"]


def test_quotation_marks_stay_with_the_chinese_sentence_they_close() -> None:
    assert sentences("他说：“太贵了。”我不同意！！真的……好吧。") == [
        "他说：“太贵了。”",
        "我不同意！！",
        "真的……",
        "好吧。",
    ]
    assert sentences("“行！”，他说。走吧") == ["“行！”，他说。", "走吧"]


def test_chinese_numbers_and_digits_are_one_word() -> None:
    assert tokenize("访问了二十三位顾客") == tokenize("访问了23位顾客")
    assert tokenize("两点半，百分之五，三天") == ["2:30", "5%", "3", "天"]


def test_full_width_letters_are_plain_ones() -> None:
    assert tokenize("部署ＡＰＩ，１２台") == ["部署", "api", "12", "台"]


def test_mixed_sentences_keep_english_words_whole_and_stemmed() -> None:
    assert content_terms("我们用 Kubernetes 部署 batteries") == ["kubernet", "部署", "batteri"]


def test_new_words_are_not_split() -> None:
    assert tokenize("网上订面包的小程序") == ["网上", "订", "面包", "的", "小程序"]


def test_words_are_counted_in_either_language() -> None:
    assert word_count("one two three") == 3
    assert word_count("这个遥控器的电池用太阳能") == 6
    assert word_count("三百块") == 2


@pytest.mark.parametrize("text", ["三百块", "星期四", "我来", "二十号", "不行"])
def test_short_answers_are_not_listening_signals(text: str) -> None:
    assert not is_backchannel(text)


def test_names_are_capitalised_inside_a_sentence() -> None:
    assert names("I met Mei Lin in San Francisco. The LCD works. Batteries are out.") == [
        "Mei Lin",
        "San Francisco",
        "LCD",
    ]


def test_clean_removes_marks_only() -> None:
    assert clean("{disfmarker} The L_C_D_ 's (left) side") == "The LCD's (left) side"


def test_jieba_is_not_loaded_for_english() -> None:
    code = "import sys; from grga.text import content_terms; content_terms('the batteries'); print('jieba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
