"""The sentences of the offline generator, English and Mandarin: questions, answers and how they were found."""

from __future__ import annotations

from grga.scopes import clock

LONGEST_QUOTE = 220

_SENTENCES: dict[str, dict[str, str]] = {
    "en": {
        # temporal
        "count_word": "How many times is the word “{word}” said in the meeting?",
        "count_word_by": "How many times does {name} say the word “{word}”?",
        "count_word.a": "{times}, in {turns}: {places}.",
        "count_word.r": "Every occurrence of the word was counted; its inflections do not change the count.",
        "turns_in": "How many turns does {name} take between {start} and {end}?",
        "turns_all": "How many turns does {name} take in the whole meeting?",
        "turns.a": "{turns}.",
        "turns.r": "{name}'s turns were counted; none crosses a limit, and none follows another of {name}'s.",
        "talk_in": "How long does {name} speak between {start} and {end}?",
        "talk_all": "How long does {name} speak in total?",
        "talk.a": "{seconds}, in {turns}.",
        "talk.r": "The lengths of {name}'s turns were added up; none crosses a limit.",
        "longest": "How long is {name}'s longest turn?",
        "longest.a": "{seconds}, from {start} to {end}: “{text}”",
        "longest.r": "The next longest turn of {name} has {seconds}.",
        "between": "How much time passes between {one} saying “{first}” and {two} saying “{second}”?",
        "between.a": "About {seconds}: from {start} to {end}.",
        "between.r": "From the start of the one turn to the start of the other.",
        "lasts": "How long does the meeting last?",
        "lasts.a": "{seconds}: the last turn ends at {end}.",
        "lasts.r": "The length of the recording.",
        "first": "Who speaks first in the meeting?",
        "last": "Who speaks last in the meeting?",
        "who_spoke.a": "{name}, at {time}: “{text}”",
        "who_spoke.r": "The turns were ordered by their times.",
        "first_word": "Who is the first to mention “{word}”?",
        "last_word": "Who is the last to mention “{word}”?",
        "when_word": "When is “{word}” mentioned for the first time?",
        "when_word.a": "At {time}, by {name}: “{text}”",
        "which_first": "Which comes up first, “{one}” or “{two}”?",
        "which_first.a": "“{one}”, at {start}; “{two}” follows at {end}.",
        "which_first.r": "The first mentions were compared.",
        "what_after": "What does {name} say right after {other} says “{quote}”?",
        "who_after": "Who speaks right after {other} says “{quote}”?",
        "after.a": "{name}, at {time}: “{text}”",
        "after.r": "The next turn in time; nobody speaks at the same time.",
        "when_said": "When does {name} say “{quote}”?",
        "when_said.a": "At {time}.",
        "when_said.r": "The phrase is said once in the meeting.",
        "who_at": "Who is speaking at {time}?",
        "what_at": "What is being said at {time}?",
        "at.r": "Only one person speaks at that moment.",
        # acoustic
        "loudest": "Which remark is the loudest of the whole meeting?",
        "loudest_of": "Which of {name}'s remarks is the loudest?",
        "quietest_of": "Which of {name}'s remarks is the quietest?",
        "fastest_of": "Which of {name}'s remarks is spoken fastest?",
        "slowest_of": "Which of {name}'s remarks is spoken slowest?",
        "remark.a": "The one at {time} by {name}: “{text}”",
        "level.r": "It measures {value} dB; the next one differs by {margin} dB.",
        "rate.r": "It has {value} words a second; the next one differs by {margin}.",
        "silence": "Who breaks the longest silence of the meeting?",
        "silence.a": "{name}, at {time}, after {seconds}: “{text}”",
        "silence.r": "The second longest silence lasts {seconds}.",
        "louder": "Does {name} speak louder than usual when saying “{quote}”?",
        "louder.yes": "Yes: about {value} dB louder than {name}'s average.",
        "louder.no": "No: as loud as {name}'s average, within {value} dB.",
        "louder.r": "{name}'s mean level over {turns} was compared with this turn.",
        "raised": "What was said right before {name} became much louder than usual at {time}?",
        "raised.a": "{name} said at {time}: “{text}”",
        "raised.r": "The turn at {time} is {value} dB above the speaker's mean; this is the turn before it.",
        "over": "Who starts to speak at {time} while {name} is still talking?",
        "over.a": "{name}: “{text}”",
        "over.r": "The two turns overlap for {seconds}.",
        # factual
        "who_says": "Who says “{quote}”?",
        "who_says.a": "{name}, at {time}.",
        "who_says.r": "The phrase is said once in the meeting.",
        "about": "What does {name} say about the “{word}”?",
        "about.a": "At {time}: “{text}”",
        "about.r": "It is the only turn in which the word is said.",
        "who_word": "Who talks about the “{word}”?",
        "who_word.a": "{name}, at {time}: “{text}”",
        "who_word.r": "Nobody else says the word.",
        "amount": "What amount of money does {name} name in the remark with “{word}”?",
        "date": "What date or time does {name} name in the remark with “{word}”?",
        "named.a": "{value}, at {time}: “{text}”",
        "named.r": "It is the only one in the only remark of {name} with that word.",
        # inferential
        "refers": "When {name} says “{quote}”, what does “{short}” refer to?",
        "refers.a": "To what {name} said at {time}: “{text}”",
        "refers.r": "A coreference edge with a confidence of {value}.",
        "asked": "Which question leads {name} to say “{quote}”?",
        "asked.a": "The one that {name} asks at {time}: “{text}”",
        "asked.r": "A reply edge joins the question and the turn that follows it.",
        "answered": "What is {name}'s reaction to the question “{quote}”?",
        "answered.a": "At {time}: “{text}”",
        "reason": "What reason does {name} give for saying “{quote}”?",
        "reason.a": "{name} says at {time}: “{text}”",
        "reason.r": "The reason stands in the same remark, after “{cue}”.",
        "objects": "Who objects when {name} says “{quote}”?",
        "agrees": "Who agrees when {name} says “{quote}”?",
        "stance.a": "{name}, at {time}: “{text}”",
        "stance.r": "The next turn takes up the remark with “{cue}”.",
        # summarization
        "topic": "What is mainly discussed between {start} and {end}?",
        "topic.a": "{keywords}. {lines}",
        "topic.r": "A stretch of one topic, with its most typical words and the turns that hold most of them.",
        "topics_of": "Which subjects does {name} talk about most?",
        "topics_of.a": "{keywords}. {lines}",
        "topics_of.r": "Words that {name} uses more than the others do, and the turns that hold most of them.",
        "portrait": "Describe {name}'s part in the meeting: share of the talk, number of turns and main subjects.",
        "portrait.a": "{name} speaks for {seconds}, {share} % of the talk, in {turns}, above all about {keywords}.",
        "portrait.r": "Added up over all turns; the words are those that {name} uses more than the others do.",
        "most": "Who talks the most in the meeting?",
        "least": "Who talks the least in the meeting?",
        "most.a": "{name}: {seconds}, {share} % of the talk.",
        "most.r": "The lengths of all turns were added up by speaker; the next one has {seconds}.",
        "all_topics": "What are the main topics of the meeting?",
        "all_topics.r": "The meeting was cut where its words change; each part with its typical words.",
        # parts
        "line": "{name} at {time}: “{text}”",
        "part": "{start} to {end}: {keywords}.",
        "place": "{name} at {time}",
        "once": "Once",
        "twice": "Twice",
        "times": "{count} times",
        "turn": "1 turn",
        "turns": "{count} turns",
        "comma": ", ",
    },
    "zh": {
        "count_word": "“{word}”这个词在会议里一共说了几次？",
        "count_word_by": "{name}一共说了几次“{word}”？",
        "count_word.a": "{times}，在{turns}发言里：{places}。",
        "count_word.r": "数了这个词的每一次出现。",
        "turns_in": "{start}到{end}之间{name}发言几次？",
        "turns_all": "{name}在整个会议里发言几次？",
        "turns.a": "{turns}。",
        "turns.r": "数了{name}的发言；没有跨越界限的，也没有连续两次的。",
        "talk_in": "{start}到{end}之间{name}说了多久？",
        "talk_all": "{name}总共说了多久的话？",
        "talk.a": "{seconds}，共{turns}发言。",
        "talk.r": "把{name}每次发言的时间加起来；没有跨越界限的。",
        "longest": "{name}最长的一次发言有多长？",
        "longest.a": "{seconds}，从{start}到{end}：“{text}”",
        "longest.r": "{name}第二长的发言是{seconds}。",
        "between": "从{one}说“{first}”到{two}说“{second}”，中间过了多久？",
        "between.a": "大约{seconds}：从{start}到{end}。",
        "between.r": "从一次发言的开头到另一次发言的开头。",
        "lasts": "会议持续了多久？",
        "lasts.a": "{seconds}，最后一次发言到{end}结束。",
        "lasts.r": "录音的长度。",
        "first": "谁最先发言？",
        "last": "谁最后发言？",
        "who_spoke.a": "{name}，在{time}：“{text}”",
        "who_spoke.r": "按时间排列了发言。",
        "first_word": "谁最先提到“{word}”？",
        "last_word": "谁最后提到“{word}”？",
        "when_word": "“{word}”第一次被提到是什么时候？",
        "when_word.a": "在{time}，{name}说：“{text}”",
        "which_first": "先提到“{one}”还是“{two}”？",
        "which_first.a": "“{one}”在前，{start}；“{two}”在后，{end}。",
        "which_first.r": "比较了第一次提到的时间。",
        "what_after": "{other}说“{quote}”之后，{name}接着说了什么？",
        "who_after": "{other}说“{quote}”之后，接着是谁发言？",
        "after.a": "{name}，在{time}：“{text}”",
        "after.r": "时间上的下一次发言；没有人同时说话。",
        "when_said": "{name}什么时候说“{quote}”？",
        "when_said.a": "在{time}。",
        "when_said.r": "这句话在会议里只说了一次。",
        "who_at": "{time}的时候是谁在发言？",
        "what_at": "{time}的时候在说什么？",
        "at.r": "这时只有一个人在说话。",
        "loudest": "整个会议里哪句话声音最大？",
        "loudest_of": "{name}哪句话声音最大？",
        "quietest_of": "{name}哪句话声音最小？",
        "fastest_of": "{name}哪句话语速最快？",
        "slowest_of": "{name}哪句话语速最慢？",
        "remark.a": "{name}在{time}说的：“{text}”",
        "level.r": "音量是{value}分贝；和下一句相差{margin}分贝。",
        "rate.r": "每秒{value}个字；和下一句相差{margin}。",
        "silence": "会议里最长的沉默是谁打破的？",
        "silence.a": "{name}，在{time}，沉默了{seconds}之后：“{text}”",
        "silence.r": "第二长的沉默有{seconds}。",
        "louder": "{name}说“{quote}”的时候声音比平时大吗？",
        "louder.yes": "是的，比{name}平时响大约{value}分贝。",
        "louder.no": "没有，和{name}平时一样响，相差不到{value}分贝。",
        "louder.r": "和{name}{turns}发言的平均音量作了比较。",
        "raised": "{time}{name}的声音突然变大之前，刚说了什么？",
        "raised.a": "{name}在{time}说：“{text}”",
        "raised.r": "{time}的发言比平均音量高{value}分贝；这是它之前的一句。",
        "over": "{time}{name}还在说话的时候，是谁插话？",
        "over.a": "{name}：“{text}”",
        "over.r": "两次发言重叠了{seconds}。",
        "who_says": "“{quote}”是谁说的？",
        "who_says.a": "{name}，在{time}。",
        "who_says.r": "这句话在会议里只说了一次。",
        "about": "关于“{word}”，{name}说了什么？",
        "about.a": "在{time}：“{text}”",
        "about.r": "只有这次发言里有这个词。",
        "who_word": "谁谈到了“{word}”？",
        "who_word.a": "{name}，在{time}：“{text}”",
        "who_word.r": "别人都没有说这个词。",
        "amount": "{name}说到“{word}”的时候，说的是多少钱？",
        "date": "{name}说到“{word}”的时候，说的是什么日子或时间？",
        "named.a": "{value}，在{time}：“{text}”",
        "named.r": "{name}只有这一次说到这个词，其中只有这一个。",
        "refers": "{name}说“{quote}”的时候，“{short}”指的是什么？",
        "refers.a": "指{name}在{time}说的：“{text}”",
        "refers.r": "指代关系，可信度{value}。",
        "asked": "{name}说“{quote}”，是在回答哪个问题？",
        "asked.a": "{name}在{time}问的：“{text}”",
        "asked.r": "问题和接下来的发言之间有回应关系。",
        "answered": "对“{quote}”这个问题，{name}是怎么回应的？",
        "answered.a": "在{time}：“{text}”",
        "reason": "{name}说“{quote}”的原因是什么？",
        "reason.a": "{name}在{time}说：“{text}”",
        "reason.r": "原因在同一次发言里，在“{cue}”之后。",
        "objects": "{name}说“{quote}”的时候，谁反对？",
        "agrees": "{name}说“{quote}”的时候，谁同意？",
        "stance.a": "{name}，在{time}：“{text}”",
        "stance.r": "下一次发言用“{cue}”回应。",
        "topic": "{start}到{end}之间主要讨论了什么？",
        "topic.a": "{keywords}。{lines}",
        "topic.r": "同一个话题的一段，附上典型的词和发言。",
        "topics_of": "{name}主要谈了哪些话题？",
        "topics_of.a": "{keywords}。{lines}",
        "topics_of.r": "{name}比别人更常用的词，以及含有这些词的发言。",
        "portrait": "请描述{name}在会议里的角色：说话的比例、发言次数和主要话题。",
        "portrait.a": "{name}说了{seconds}，占{share}%，发言{turns}，主要谈{keywords}。",
        "portrait.r": "所有发言的时间加起来；这些词{name}比别人更常用。",
        "most": "谁说得最多？",
        "least": "谁说得最少？",
        "most.a": "{name}：{seconds}，占{share}%。",
        "most.r": "按说话人把发言时间加起来；下一位是{seconds}。",
        "all_topics": "会议主要讨论了哪些话题？",
        "all_topics.r": "在用词变化的地方把会议分开，每段附上典型的词。",
        "line": "{name}在{time}：“{text}”",
        "part": "{start}到{end}：{keywords}。",
        "place": "{name}在{time}",
        "once": "1次",
        "twice": "2次",
        "times": "{count}次",
        "turn": "1次",
        "turns": "{count}次",
        "comma": "、",
    },
}


def say(language: str, key: str, **values: object) -> str:
    """Return a sentence; names that open it are capitalised ("the Project Manager" -> "The …")."""
    text = _SENTENCES[language][key].format(**values)
    return text[:1].upper() + text[1:]


def times(language: str, count: int) -> str:
    """Return "Once", "5 times", "5次"."""
    return say(language, {1: "once", 2: "twice"}.get(count, "times"), count=count)


def turns(language: str, count: int) -> str:
    """Return "1 turn", "5 turns", "5次"."""
    return say(language, "turn" if count == 1 else "turns", count=count)


def seconds(language: str, length: float) -> str:
    """Return a length of time: below ten seconds with one decimal, above a minute in minutes."""
    if length < 9.95:
        return f"{length:.1f}秒" if language == "zh" else f"{length:.1f} seconds"
    minutes, rest = divmod(round(length), 60)
    if language == "zh":
        return f"{minutes}分{rest}秒" if minutes else f"{rest}秒"
    return f"{minutes} min {rest} s" if minutes else f"{rest} seconds"


def at(moment: float) -> str:
    """Return a time of the meeting as people read it ("19:10")."""
    return clock(moment)


def cut(text: str) -> str:
    """Return what was said word for word, its end cut off when it is long."""
    if len(text) <= LONGEST_QUOTE:
        return text
    short = text[:LONGEST_QUOTE]
    return (short.rsplit(" ", 1)[0] if " " in short else short) + "…"
