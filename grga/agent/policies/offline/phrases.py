"""Wording: the sentences around a transcript's words, English and Mandarin, and how speech is trimmed.

The transcript is data: it is quoted, cut and never interpreted.
"""

from __future__ import annotations

import re

from grga.scopes import clock
from grga.text import clean, content_terms, sentences

QUOTE_LIMIT = 180

_FILLER = re.compile(
    r"(?<![\w'-])(?:u+[hm]+|e+r+m?|h+m+|mm+|mhm|uh-huh|mm-hmm)(?![\w'-])[,.]?\s*"
    r"|(?:^|(?<=[,.;] ))(?:you know|i mean)[,.]\s*",
    re.IGNORECASE,
)
_STUTTER = re.compile(r"\b([\w']+)(?:[, ]+\1\b)+", re.IGNORECASE)
_OPENER = re.compile(
    r"^(?:(?:so|well|okay|ok|yeah|yes|right|alright|and|but|oh|like|actually|basically)\b[,. ]*)+(?=\S+ \S+)",
    re.IGNORECASE,
)
_HAN_FILLER = re.compile(r"(?:^|(?<=[，。,\s]))(?:嗯+|呃+|啊+|哦+|那个那个|就是就是)[，,\s]*")

_CLOSING = ".!?…。！？"

_PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "nothing": "This meeting does not say.",
        "nothing_about": "This meeting does not say: there is nothing about {topic} in it.",
        "nobody": "This meeting does not say: nobody called {name} speaks or is mentioned in it.",
        "outside": "This meeting does not say: the recording ends at {end}, before {time}.",
        "silent_window": "Nobody says anything there between {start} and {end}.",
        "said": "{name} says at {time}: “{text}”",
        "replied": "{name} answers at {time}: “{text}”",
        "who": "It was {name}.",
        "who_all": "It was {names}.",
        "who_self": "{name} says so at {time}.",
        "who_named": "{name}, as {speaker} says at {time}.",
        "who_unsaid": "It is not said who; {name} speaks about it at {time}.",
        "yes": "Yes.",
        "no": "No.",
        "when": "At {time}.",
        "when_range": "From {start} to {end}.",
        "count_mentions": "“{term}” is mentioned {count} in {turns}.",
        "never_mentioned": "“{term}” is never mentioned.",
        "counted_here": "One of them, {name} at {time}: “{text}”",
        "count_turns": "{name} speaks {count}, {seconds} in all.",
        "count_people": "{count} people speak: {names}.",
        "talk_time": "{name} talks for {seconds} ({share} of the talk) in {turns}.",
        "longest_turn": "{name}'s longest turn lasts {seconds}, from {start} to {end}: “{text}”",
        "time_between": "About {seconds}: from {start} to {end}.",
        "talk_most": "{name} talks the most: {seconds}, {share} of the talk.",
        "talk_least": "{name} talks the least: {seconds}, {share} of the talk.",
        "talk_other": "{name} talks for {seconds} ({share}).",
        "topic_time": "About {seconds}: from {start} to {end}.",
        "topic_part": "It comes up from {start} to {end}, beginning with {name}: “{text}”",
        "meeting_time": "The meeting lasts {seconds}.",
        "speaks_first": "{name} speaks first, at {time}: “{text}”",
        "speaks_last": "{name} speaks last, at {time}: “{text}”",
        "first_mention": "{name} is the first to mention it, at {time}: “{text}”",
        "last_mention": "It is last mentioned by {name}, at {time}: “{text}”",
        "came_first": "“{first}” comes first, at {time}; “{second}” follows at {later}.",
        "only_one": "Only “{first}” comes up, at {time}.",
        "loudest": "The loudest moment is {name} at {time} ({value}): “{text}”",
        "quietest": "The quietest moment is {name} at {time} ({value}): “{text}”",
        "fastest": "The fastest speech is {name} at {time} ({value}): “{text}”",
        "slowest": "The slowest speech is {name} at {time} ({value}): “{text}”",
        "highest": "The highest pitch is {name} at {time} ({value}): “{text}”",
        "agitated": "The most agitated delivery is {name} at {time} ({value}): “{text}”",
        "pause_longest": "The longest pause lasts {seconds}, before {name} at {time}: “{text}”",
        "interrupts_most": "{name} interrupts the most: {count}.",
        "interrupts": "{name} interrupts {count}.",
        "talks_over": "{name} cuts in at {time} while {other} is still speaking ({seconds} s of overlap): “{text}”",
        "cuts_off": "{name} cuts in at {time}, {seconds} s after {other} breaks off (“…{last}”): “{text}”",
        "no_such_interruptions": "No such interruption with {names} was found.",
        "no_interruptions": "No interruption was found: nobody starts while somebody else is speaking, and "
        "no turn breaks off right before another one.",
        "louder": "At {time} {name} becomes clearly louder ({value}): “{text}”",
        "not_louder": "No clear change: the strongest is {name} at {time} ({value}): “{text}”",
        "sounded": "At {time} {name} sounds like this: {value}. The words: “{text}”",
        "no_emotion": "An emotion is not measured here, only loudness, pitch, rate and pauses.",
        "laugh": "This meeting does not say: laughter and other noises are not measured.",
        "other_sound": "This meeting does not say: of sounds beside speech, only {sounds} are listened for.",
        "mood_at": "At {time} {name} sounds {mood}: “{text}”",
        "mood_at_maybe": "At {time} {name} may sound {mood}, though not clearly: “{text}”",
        "mood_told": "An emotion model hears it as {mood}.",
        "mood_told_maybe": "An emotion model hears it as {mood}, though not clearly.",
        "mood_plain": "No strong emotion is heard: it sounds neutral throughout.",
        "mood_who": "{name} sounds {mood} {count}.",
        "mood_who_maybe": "{name} may sound {mood} {count}, though not clearly.",
        "mood_only": "Only {name} sounds {mood}: {count}.",
        "mood_most": "{name} sounds {mood} most often: {count}.",
        "mood_maybe": "Possibly, but not clearly.",
        "no_mood": "Nothing that {names} says{about} sounds {mood}.",
        "anybody": "anybody",
        "about_it": " about it",
        "sound_at": "At {time} there is {sound} while {name} {speaks}: “{text}”",
        "sound_count": "{sound} is heard {count}.",
        "sound_who": "There is {sound} during remarks by {names}; who made it is not measured.",
        "sound_most": "There is {sound} most often during remarks by {name}: {count}.",
        "no_sound": "No {sound} is heard{during}.",
        "during": " during remarks by {names}",
        "there": " there",
        "or": " or ",
        "no_audio": "This meeting does not say: it has no audio, so how it sounded was not measured.",
        "reacts_to": "It answers what {name} said at {time}: “{text}”",
        "announced": "Earlier, at {time}, {name} had said: “{text}”",
        "because": "The reason given by {name} at {time}: “{text}”",
        "cause_before": "It follows from what {name} said at {time}: “{text}”",
        "event": "{name} at {time}: “{text}”",
        "refers_to": "It refers to what {name} said at {time}: “{text}”",
        "summary_point": "{name} ({time}): “{text}”",
        "topic_head": "From {start} to {end} ({keywords}): {name} says “{text}”",
        "role": "{name} is the {role}.",
        "role_unsaid": "The role of {name} is not stated.",
        "role_stated": "{name} at {time}: “{text}”",
        "profile": "{name} speaks {seconds} ({share} of the talk), mostly about {keywords}.",
        "contribution": "Typical at {time}: “{text}”",
        "before_that": "Just before, at {time}, {name}: “{text}”",
        "after_that": "Then, at {time}, {name}: “{text}”",
        "time": "{count} time",
        "times": "{count} times",
        "turn": "{count} turn",
        "turns": "{count} turns",
        "once": "once",
        "twice": "twice",
        "and": " and ",
    },
    "zh": {
        "nothing": "这次会议没有提到。",
        "nothing_about": "这次会议没有提到：没有关于{topic}的内容。",
        "nobody": "这次会议没有提到：没有叫{name}的人发言，也没有人提起。",
        "outside": "这次会议没有提到：录音到{end}结束，早于{time}。",
        "silent_window": "{start}到{end}之间没有人说话。",
        "said": "{name}在{time}说：“{text}”",
        "replied": "{name}在{time}回应：“{text}”",
        "who": "是{name}。",
        "who_all": "是{names}。",
        "who_self": "是{name}，{time}自己说的。",
        "who_named": "是{name}，{speaker}在{time}说的。",
        "who_unsaid": "没有说是谁；{name}在{time}谈到了这件事。",
        "yes": "是的。",
        "no": "没有。",
        "when": "在{time}。",
        "when_range": "从{start}到{end}。",
        "count_mentions": "“{term}”一共被提到{count}，出现在{turns}发言中。",
        "never_mentioned": "“{term}”没有被提到过。",
        "counted_here": "其中{name}在{time}：“{text}”",
        "count_turns": "{name}发言{count}，共{seconds}。",
        "count_people": "有{count}个人发言：{names}。",
        "talk_time": "{name}说了{seconds}（占发言的{share}），共{turns}。",
        "longest_turn": "{name}最长的一次发言是{seconds}，从{start}到{end}：“{text}”",
        "time_between": "大约{seconds}：从{start}到{end}。",
        "talk_most": "{name}说得最多：{seconds}，占发言的{share}。",
        "talk_least": "{name}说得最少：{seconds}，占发言的{share}。",
        "talk_other": "{name}说了{seconds}（{share}）。",
        "topic_time": "大约{seconds}：从{start}到{end}。",
        "topic_part": "从{start}到{end}谈到，由{name}开始：“{text}”",
        "meeting_time": "会议持续{seconds}。",
        "speaks_first": "{name}最先发言，在{time}：“{text}”",
        "speaks_last": "{name}最后发言，在{time}：“{text}”",
        "first_mention": "{name}最先提到，在{time}：“{text}”",
        "last_mention": "最后一次提到的是{name}，在{time}：“{text}”",
        "came_first": "“{first}”在前，{time}；“{second}”在后，{later}。",
        "only_one": "只提到了“{first}”，在{time}。",
        "loudest": "声音最大的是{name}，在{time}（{value}）：“{text}”",
        "quietest": "声音最小的是{name}，在{time}（{value}）：“{text}”",
        "fastest": "语速最快的是{name}，在{time}（{value}）：“{text}”",
        "slowest": "语速最慢的是{name}，在{time}（{value}）：“{text}”",
        "highest": "音调最高的是{name}，在{time}（{value}）：“{text}”",
        "agitated": "语气最激动的是{name}，在{time}（{value}）：“{text}”",
        "pause_longest": "最长的停顿有{seconds}，之后{name}在{time}说：“{text}”",
        "interrupts_most": "{name}打断别人最多：{count}。",
        "interrupts": "{name}打断别人{count}。",
        "talks_over": "{name}在{time}打断{other}（重叠{seconds}秒）：“{text}”",
        "cuts_off": "{name}在{time}打断{other}，{other}的话没说完（“…{last}”，间隔{seconds}秒）：“{text}”",
        "no_such_interruptions": "没有发现与{names}有关的打断。",
        "no_interruptions": "没有发现打断：没有人在别人说话时开口，也没有话说到一半就被别人接过去。",
        "louder": "{time}时{name}的声音明显变大（{value}）：“{text}”",
        "not_louder": "没有明显变化，最明显的是{name}在{time}（{value}）：“{text}”",
        "sounded": "{time}时{name}的声音：{value}。原话：“{text}”",
        "no_emotion": "这里不测量情绪，只测量音量、音调、语速和停顿。",
        "laugh": "这次会议没有提到：笑声等声音没有测量。",
        "other_sound": "这次会议没有提到：说话以外的声音，只测量{sounds}。",
        "mood_at": "{time}，{name}听起来{mood}：“{text}”",
        "mood_at_maybe": "{time}，{name}听起来可能有点{mood}，但不明显：“{text}”",
        "mood_told": "情绪模型听出来的是：{mood}。",
        "mood_told_maybe": "情绪模型听出来的可能是{mood}，但不明显。",
        "mood_plain": "没有听到明显的情绪，语气一直平静。",
        "mood_who": "{name}有{count}听起来{mood}。",
        "mood_who_maybe": "{name}有{count}听起来可能有点{mood}，但不明显。",
        "mood_only": "只有{name}听起来{mood}：{count}。",
        "mood_most": "听起来{mood}次数最多的是{name}：{count}。",
        "mood_maybe": "可能有一点，但不明显。",
        "no_mood": "{names}{about}说的话里，没有听起来{mood}的。",
        "anybody": "大家",
        "about_it": "谈到这件事时",
        "sound_at": "{time}，{name}说话时有{sound}：“{text}”",
        "sound_count": "一共有{count}{sound}。",
        "sound_who": "{names}发言时有{sound}；是谁发出的，没有测量。",
        "sound_most": "{name}发言时的{sound}最多：{count}。",
        "no_sound": "{during}没有听到{sound}。",
        "during": "{names}发言时",
        "there": "那时",
        "or": "或",
        "no_audio": "这次会议没有提到：没有录音，无法知道说话的语气。",
        "reacts_to": "这是在回应{name}在{time}说的：“{text}”",
        "announced": "更早在{time}，{name}曾说：“{text}”",
        "because": "{name}在{time}给出的原因：“{text}”",
        "cause_before": "起因是{name}在{time}说的：“{text}”",
        "event": "{name}在{time}：“{text}”",
        "refers_to": "指的是{name}在{time}说的：“{text}”",
        "summary_point": "{name}（{time}）：“{text}”",
        "topic_head": "从{start}到{end}（{keywords}）：{name}说“{text}”",
        "role": "{name}是{role}。",
        "role_unsaid": "没有明说{name}的角色。",
        "role_stated": "{name}在{time}：“{text}”",
        "profile": "{name}说了{seconds}（占{share}），主要谈{keywords}。",
        "contribution": "例如{time}：“{text}”",
        "before_that": "在此之前，{time}，{name}：“{text}”",
        "after_that": "接着，{time}，{name}：“{text}”",
        "time": "{count}次",
        "times": "{count}次",
        "turn": "{count}次",
        "turns": "{count}次",
        "once": "1次",
        "twice": "2次",
        "and": "和",
    },
}


def phrase(language: str, key: str, **values: object) -> str:
    """Return a sentence in the question's language, closed by a full stop if a quote leaves it open."""
    text = _PHRASES["zh" if language == "zh" else "en"][key].format(**values)
    if text.endswith("”") and text[-2:-1] not in _CLOSING:
        text += "。" if language == "zh" else "."
    return text


def often(language: str, count: int) -> str:
    """Return "once", "twice", "5 times", "5次"."""
    key = {1: "once", 2: "twice"}.get(count, "times")
    return phrase(language, key, count=count)


def turns(language: str, count: int) -> str:
    """Return "1 turn", "4 turns", "4次"."""
    return phrase(language, "turn" if count == 1 else "turns", count=count)


def length(language: str, seconds: float) -> str:
    """Return a duration in words ("42 seconds", "3 min 20 s", "3分20秒")."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if language == "zh":
        return f"{minutes}分{rest}秒" if minutes else f"{seconds:.1f}秒" if seconds < 10 else f"{rest}秒"
    if minutes:
        return f"{minutes} min {rest} s"
    return f"{seconds:.1f} seconds" if seconds < 10 else f"{rest} seconds"


def joined(language: str, parts: list[str]) -> str:
    """Return "a, b and c"."""
    comma = "、" if language == "zh" else ", "
    if len(parts) < 2:
        return "".join(parts)
    return comma.join(parts[:-1]) + phrase(language, "and") + parts[-1]


def trimmed(text: str) -> str:
    """Return speech without fillers, stutters and empty openers; the text itself if nothing is left."""
    plain = clean(text)
    short = _HAN_FILLER.sub("", _STUTTER.sub(r"\1", _FILLER.sub("", plain)))
    short = _OPENER.sub("", short.strip(" ,;-").lstrip(" ."))
    short = re.sub(r"\s+", " ", re.sub(r"\s+([,.?!])", r"\1", short)).strip(" ,;-")
    return short[:1].upper() + short[1:] if short else plain


def excerpt(text: str, terms: tuple[str, ...] = (), limit: int = QUOTE_LIMIT) -> str:
    """Return the part of ``text`` that holds most of ``terms``, trimmed, at most ``limit`` characters.

    Whole sentences where they fit; otherwise the words around the first term, cut with an ellipsis.
    """
    short = trimmed(text)
    if len(short) <= limit:
        return short
    wanted = set(terms)
    parts = sentences(short)
    overlap = [len(wanted & set(content_terms(part))) for part in parts]
    best = max(range(len(parts)), key=lambda index: (overlap[index], -index))
    chosen, end = parts[best], best
    while end + 1 < len(parts) and len(chosen) + len(parts[end + 1]) < limit:
        end += 1
        chosen += " " + parts[end]
    if len(chosen) > limit:
        chosen = _around(chosen, wanted, limit)
    before = "…" if best > 0 and not chosen.startswith("…") else ""
    after = "…" if end + 1 < len(parts) and not chosen.endswith("…") else ""
    return before + chosen + after


def _around(text: str, wanted: set[str], limit: int) -> str:
    """Cut ``text`` to ``limit`` characters around the first wanted word, at word boundaries."""
    words = text.split(" ")
    if len(words) < 4:  # no spaces to cut at, such as Han text
        return text[: limit - 1] + "…"
    first = next((n for n, word in enumerate(words) if wanted & set(content_terms(word))), 0)
    start = end = first
    size = len(words[first])
    while size < limit - 2 and (start > 0 or end + 1 < len(words)):
        if start > 0:
            start -= 1
            size += len(words[start]) + 1
        if end + 1 < len(words) and size < limit - 2:
            end += 1
            size += len(words[end]) + 1
    cut = " ".join(words[start : end + 1])
    return ("…" if start else "") + cut + ("…" if end + 1 < len(words) else "")


def shown(question: str, term: str) -> str:
    """Return a term as the question writes it ("batteri" -> "batteries")."""
    if not term.isascii():
        return term
    words = re.findall(r"[^\W_]+(?:['-][^\W_]+)*", question)
    return next((word for word in words if term in content_terms(word)), term)


def at(seconds: float) -> str:
    """Return a time as people read it ("19:10", "1:04:13")."""
    return clock(seconds)
