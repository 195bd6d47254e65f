"""English."""

from __future__ import annotations

from memd.recall.languages.language import Language, Marks, Questions, Statements, phrases

_TASK = (
    "write|draft|plan|create|fix|review|add|make|build|implement|refactor|design|generate|set up|update|improve"
    "|optimi[sz]e|debug|convert|rename|remove|delete|move|migrate|test|document|propose|outline|prepare|compare|choose"
    "|pick|organi[sz]e|schedule|rewrite|port|deploy|configure|install|run|change|clean|extract|replace|split|merge"
    "|simplify|translate|compose|brainstorm|rework|polish|sketch|wire|bump|revert|handle|finish|continue|turn|use|come"
    " up with|look into|investigate|check|help"
)
_SUMMARY = "(?:summary|recap|overview|rundown|run-down|digest|timeline|retrospective)"
_TOPICS = " (?:topics|subjects|themes|decisions|things|features|bugs|issues|projects|milestones|changes)"
_SPAN = "today|yesterday|this|last|past|lately|recently|so far|until now|since|over|during|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DONE = "discuss|talk about|cover|do|work on|accomplish|achieve|get done|go (?:through|over)"
_DONE_PAST = "discussed|talked about|covered|did|done|worked on|accomplished|achieved|been (?:doing|working on|up to)|gone (?:through|over)|built|tried"

_QUESTIONS = Questions(
    opening=(
        r"(?:(?:hi|hello|hey|yo|good (?:morning|afternoon|evening))(?: there| claude| again)?|claude|ok(?:ay)?|so|well|now|and|but"
        r"|also|btw|by the way|please|pls|quick(?: question)?|one more(?: thing| question)?|thanks|thank you|great|sorry|just"
        r"|actually|i(?:'m| am|'ve been| was)? (?:just )?wonder(?:ing)?(?: if| whether)?|i(?:'d| would) like to know"
        r"|do you (?:still )?know|(?:can|could|would|will) you(?: please| kindly| quickly| just)?(?: tell me)?"
        r"|(?:please )?tell me|i forgot|i forget|i can't remember|any idea)[\s,.:;!-]+"
    ),
    overview=(
        r"^(?:summari[sz]e|recap|sum up)\b(?! (?:this|these|the following|the attached)\b(?! (?:conversation|chat|project|session|thread|discussion|week|month)))",
        rf"\b(?:an?|the|your|brief|short|quick|full|complete|high-level) {_SUMMARY} of\b",
        rf"\b(?:give|write|get|show|need|want|provide|make|like)\b…\b{_SUMMARY}\b",
        rf"\b(?:everything|anything|all(?: the)?(?: \w+)?) (?:that )?(?:we|i|you)(?:'ve| have)? (?:{_DONE_PAST}|decided|agreed|changed|said|learne?[dt]|fixed|asked|planned)\b",
        rf"^what (?:did|have) (?:we|i)(?: all| even| actually)? (?:{_DONE}|{_DONE_PAST})(?: (?:in|with|on)(?: \w+){{1,3}})?\W*$",
        rf"^what (?:did|have) (?:we|i)(?: all| even| actually)? (?:{_DONE}|{_DONE_PAST})(?: (?:in|with|on)(?: \w+){{1,3}})? (?:{_SPAN})\b",
        rf"\bwhat (?:we|i)(?:'ve| have)? (?:{_DONE_PAST})\b",
        r"\bin (?:what|which) order\b|\bchronolog|\bsequence of events\b|\border (?:in which|of (?:the )?(?:topics|events|things))\b",
        r"\bhow (?:did|has|have) (?!(?:i|we|you)\b)…\b(?:develop|evolve|progress|change|shift|unfold|come together|mature)(?:d|ed)?\b",
        r"\b(?:history|evolution|progress|course|arc|story) of (?:the|our|my|this)\b",
        r"\bwalk me through (?:everything|our|what|how (?:we|the|our|my)|the (?:history|decisions|evolution|steps|changes|progress|project|story))\b",
        r"\b(?:catch|fill|bring) me (?:up|in)\b|\bwhere (?:did we leave off|were we|do we stand|are we at)\b|\bleft off\b",
        rf"\b(?:what|which|list|name|enumerate)\b…{_TOPICS}(?: \w+){{0,2}} (?:we|i)\b(?! (?:should|need|could|can|will))",
        rf"^(?:what|which)(?: \w+)?{_TOPICS}\b… (?:we|i|you)\b…\b(?:so far|all|over|this|last|cover(?:ed)?|discuss(?:ed)?|make|made|touch(?:ed)? on)\b",
        r"^what(?:'s| has| have)? (?:been )?(?:happen(?:ed|ing)|going on|changed) (?:so far|this|last|over|since|in the (?:last|past)|lately|recently)",
        r"\b(?:we|i)\b… so far\b",
        r"\bso far\b… (?:we|i)\b",
        r"\b(?:main|key) (?:points|themes|takeaways|topics|decisions)\b|\bthe big picture\b",
    ),
    past=(
        r"\bremind me\b|^do you (?:still )?(?:remember|recall)\b",
        r"^(?:what|which|who|when|where|why|how)\b… (?:did|had) (?:i|we|you)\b",
        r"^(?:what|which|who|when|where|why|how)\b… (?:did|was|were)\b… (?:say|said|told|mention|decide|agree|pick|choose|chosen|recommend|suggest|settle)",
        r"\b(?:i|we|you)(?:'d| had)? (?:already )?(?:said|told|mentioned|decided|agreed|picked|chose|recommended|suggested|settled)\b",
        r"^(?:what|which|who|when|where|how)\b…\b(?:again|last time|previously|earlier|back then|the other day)\W*$",
        r"^did(?:n't)? (?:i|we|you)\b",
        r"^(?:what|which)(?: \w+){0,2} (?:advice|tips?|ideas?|recommendations?|suggestions?)\b(?: \w+){0,2} (?:did|does|do|has|have|had|was|were)\b",
    ),
    advice=(
        r"\bshould(?:n't)? (?:i|we|it|the|this|that|my|our|you|they)\b",
        r"^(?:what|which|how|where|when|who)\b…\bshould\b",
        r"\b(?:recommend|suggest)(?:ation|ations|ion|ions)?\b|\badvice\b|\badvise\b|\bpros and cons\b|\btrade-?offs?\b",
        r"\bwhat would you\b|\bwhat do you (?:think|say)\b|\b(?:what's|what is|what are|what would be)(?: an?| some| the)? (?:good|best|better|right|nice|ideal|sensible|cleanest|fastest|simplest|easiest|safest)\b",
        r"\bhow (?:should|can|do|would|could|might|shall) (?:i|we|one)\b|^how to\b|\bhow(?:'d| would| can| could) you\b",
        r"\bhelp (?:me|us)\b|\bneed help\b|\b(?:any|some) (?:\w+ )?(?:ideas?|tips?|thoughts|pointers|hints?|inspiration|options)\b|\bideas? (?:for|on|about|how)\b",
        r"\b(?:best|better|right|good|cleanest|fastest|simplest|easiest|safest) (?:way|approach|practices?|option|choice|strategy|place|time)\b",
        r"\b(?:is|would) (?:it|that|this) (?:be |make )?(?:worth|better|ok|okay|fine|safe|wise|smart|good|possible|a good idea|sense)\b|\bis there (?:an?|any|some) (?:way|better|good|alternative)|\bwhich (?:one |\w+ )?(?:is|would be) (?:better|best)\b",
        r"^(?:can|could|may|shall|might) (?:i|we)\b|^let(?:'s| us)\b|^what if\b|^(?:would|will) (?:it|this|that)\b",
        rf"^(?:{_TASK})\b",
        r"^(?:i|we)(?:'d| would)? (?:need|want|like|have|am trying|are trying) (?:to|you to|an?|some)\b|^i'm (?:trying|looking|planning|thinking)\b|^give me (?:an?|some)\b",
    ),
    lookup=(
        r"^(?:who|whom|whose|when|where|which)(?:'s)?\b",
        r"^what(?:'s)?\b(?!(?: is| are)? an? \w)(?! (?:does|do) .{1,60}\bmean\b)",
        r"^(?:why|how) (?:did|was|were|had|has)\b",
        r"^how (?:many|much|long|often|old|big|large|far|fast|soon|late|early|high)\b",
        r"^why (?:do|don't|did|didn't|was|were|have|haven't|had|are|aren't) (?:i|we|you|it|the|our|my|they)\b(?!.{0,80}(?:ing|failed|broken|slow|wrong)\W*$)",
        r"^(?:do|does|don't|have|has|had|haven't|is|are|was|were|am|isn't|wasn't) (?:i|we|you|the|our|my|there|it|this|that|they|he|she|any|\w+ing)\b",
        r"^(?:find|show|list|look up|search|locate|point me to|get me|name)\b",
    ),
    happened=(
        r"^(?:have|haven't|has|had|hadn't) (?:i|we|you|there|my|our)\b",
        r"^did(?:n't)? (?:i|we)\b",
        r"^(?:was|were) (?:i|we|there)…\b(?:ever|before|already)\b",
        r"^(?:is it true|am i right|is it right|is it correct)(?: that)? (?:i|we)\b",
        r"\b(?:have|haven't|had|did|didn't) (?:i|we) (?:ever|already|never|really)\b…\?",
        r"\b(?:if|whether) (?:i|we)(?:'ve| have| had)? (?:ever|already)\b|^(?:i|we)(?:'ve| have| had)? ever\b",
    ),
    faint="ever already before never used use using uses tried try done doing worked work working really actually once past previously happened happen made make making",
)

_ADVERBS = r"(?:(?:really|strongly|much|generally|usually|personally|definitely|do|still|also|absolutely|just|always|kinda|actually|especially|typically|normally|honestly|quite|vastly|mostly) )*"
_PAST = r"\w{2,}ed\b(?<!embed)(?<!need)(?<!feed)(?<!proceed)(?<!exceed)(?<!seed)(?<!succeed)|been|had|has|was|were|is|are|saw|seen|got|did|knew|thought|felt|came|went|made|took|gave|found|wrote|ran|said|told|forgot|broke|lost|left|kept|meant|happen"
_NO_ORDER = rf"(?:{_PAST}|mind|a|an|the|good|nice|great|happy|fun|glad|better|best|worth|ever|in my|my|know|knew|sure|fails?|works?|returns?|crashes|happens|there|so|too|like|since|more|less|enough|on|as|here|up|down|give up|say never|quit|lose|\w{(3,)}ing(?<!bring)(?<!ping)(?<!string))\b"
_ONE_OFF_VERB = "fix|look|implement|build|create|refactor|find|read|debug|investigate|help|do|make|run|see|know|test|try|change|update|move|delete|remove|generate|compare|check|go|take|get|implement|review|understand|continue|finish|translate|rename|migrate|deploy|have"
_STANDS = r"(?:always|never|every time|each time|whenever|when i|when you|when we|any time|anytime|from now on|in (?:all|every|each|your|future)|for (?:all|every|each|your)|by default|ever|unless)"
_ASK = r"(?:when|whenever|every time|each time|any time|anytime|if) (?:i|you|we) (?:ask|mention|say|request|talk|want|paste|send|write|answer|reply|suggest|propose|show|add|change|touch|edit|commit|explain|discuss|create|make|run|deploy)\b"
_DO = "always|never|use|keep|include|avoid|write|answer|reply|respond|be|add|start|end|begin|make|format|give|show|cite|mention|put|limit|skip|tell|explain|name|list|quote|link|prefer|ask|check|run|remind|warn|say|call|do|stick"
_YOURS = r"(?:answers?|repl(?:y|ies)|responses?|messages?|commits?|commit messages?|code|examples?|prs?|pull requests?|summar(?:y|ies)|explanations?|tests?|functions?|files?|snippets?|reviews?)"

_STATEMENTS = Statements(
    request=(
        rf"^(?:please |you (?:should|must|need to|have to|are to) |do |i(?:'d| would)? (?:want|like|need) (?:you )?to )?(?:always|never) (?!{_NO_ORDER})(?!again\W*$)\w",
        r"\b(?:from now on|going forward|moving forward|from here on|henceforth|from this point on)\b",
        r"^(?:in|for) (?:the )?future,? (?!(?:we|it|this|they|i|there|the|versions?|work|plans?|releases?)\b)|\bin future\W*$|^for future (?:reference|replies|answers|sessions)",
        r"\bplease,? (?:always|never|don't ever|do not ever|remember)\b",
        r"\bi(?:'d| would)? (?:like|love|want|need|expect|prefer)(?: for)? (?:you|claude) to\b|\bi(?:'d| would) (?:appreciate it|like it) if you\b",
        r"\b(?:don't|do not) ever\b(?! (?:quit|give up|forget|lose|stop|doubt))",
        r"^(?:please )?(?:don't|do not)\b…\b(?:anymore|any more|ever again|unless|without (?:asking|my)|until i)\b",
        r"^(?:please )?(?:stop|quit|avoid) \w+ing\b|^no more \w",
        rf"\b{_ASK}…(?:, |\b)(?:always|never|please|you (?:should|must)|(?:don't|do not|{_DO})\b)",
        r"\bwhen(?:ever)? i ask (?:you |about|for|to|how|what)",
        rf"^(?:please )?(?:don't|do not|{_DO})\b…\b{_ASK}",
        r"^(?:please )?remember (?:to|that (?:i|we|you)|:|,|never|always)|^(?:please )?(?:make|be) sure (?:to|you|that you) (?:always|never)",
        r"\byou (?:should|must|need to|have to|are to) (?:always|never)\b|\bi (?:always|never) want\b",
        r"\bunless (?:i|we) (?:say|tell|ask|explicitly|specif)|\buntil i (?:say|tell) (?:so|you|otherwise)",
        rf"^(?:please )?(?:don't|do not|no|{_DO})\b…\b(?:in|for|with|to|of) (?:all|every|each|any|your)(?: of)?(?: my| your| the| new)? {_YOURS}\b",
        r"^(?:as a (?:general )?rule|rule|standing (?:rule|request|order)|by default|house rule|convention)\s*[:,]",
        r"^(?:please )?(?:call|address) me \w",
        r"^no \w…\bplease\b",
    ),
    one_off=(
        rf"\bi(?:'d| would)? (?:like|love|want|need|expect|prefer)(?: for)? (?:you|claude) to (?:{_ONE_OFF_VERB})\b(?!.{{0,200}}\b{_STANDS}\b)",
        r"^(?:i|we|it|he|she|they|this|that)(?:'ve| have| had|'d)? (?:always|never) \w",
        r"\b(?:told|asked|said|says|wants|wanted|reminded)(?: me| us| him| her| them| that)?\b…\b(?:always|never)\b",
        r"^if (?:we|i|it|they|you) (?:always|never|had)\b",
        r"\bi(?:'ll| will|'m| am)\b…\b(?:from now on|going forward|moving forward)\b",
    ),
    polite=(rf"^(?:can|could|would|will) you\b…\b{_STANDS}\b",),
    condition=rf"\b{_ASK}(?: (?:you|me|us))?(?: (?:about|for|to|on|of|up|with|a|an|the|any|something|anything))*(?P<topic>[^,.;:!]*)",
    preference=(
        rf"\b(?:i|we) {_ADVERBS}(?:prefer|like|love|hate|dislike|enjoy|detest|favou?r|loathe|adore|avoid|despise)\b(?! you to)",
        rf"\b(?:i|we) {_ADVERBS}(?:don't|do not|can't|cannot|never) {_ADVERBS}(?:like|love|enjoy|stand|care for|fancy|trust|eat|drink|bear)\b",
        r"\b(?:i'd|i would|we'd|we would) (?:much |far |really |always |definitely )*(?:rather|sooner|prefer)\b(?! you)",
        rf"\b(?:i|we) (?:usually|normally|typically|generally|tend to|mostly|almost always|always|rarely|hardly ever|seldom) (?!(?:{_PAST})\b)\w",
        r"\bmy (?:all-time )?(?:favou?rite|preferred|preference|go-to|usual|default)\b|\bmy \w+ of choice\b",
        r"\bi(?:'m| am) (?:not )?(?:really |much of |so |very |quite |a )*(?:big |huge )?(?:fan of|into|fond of|keen on|partial to|allergic|intolerant|vegan|vegetarian|sensitive to|picky|averse|lactose|celiac|coeliac|colou?r-?blind|dyslexic|left-handed|on a \w+ diet)\b",
        r"\bi(?:'m| am) (?:more of )?an? [\w -]{2,20} (?:person|guy|girl|user|kind of person)\b",
        r"\bworks? (?:best|better) for me\b|\bdrives? me (?:crazy|nuts|mad|up the wall)\b|\bnot my (?:thing|style|cup of tea)\b|\bany day\W*$",
        r"\bi(?:'d| would) (?:take|choose|pick|go for|go with)\b… over\b",
        r"\bi (?:try|like) to avoid\b|\bi have a (?:preference|weakness|soft spot|allergy)\b",
    ),
    passing=(
        r"\b(?:i|we) (?:\w+ )?(?:like|love|hate|enjoy|prefer) (?:that|this|it|your|how|what|the (?:way|idea|look|first|second|third|new|result|change|approach|sound|former|latter|plan))\b(?!.{0,80} (?:when|over|to)\b)",
        r"\bi (?:like|hate) to (?:think|say|admit|bother|ask)\b|\blike i (?:said|mentioned)\b|\bi feel like\b|\bi (?:usually|always|normally) (?:get|see|fail|have) (?:an?|the|this) (?:error|exception|crash|bug|problem|issue)",
        r"\bused to (?:like|prefer|love|hate|enjoy)\b|\bi (?:would|'d) like\b(?!.{0,80}\bbetter\b)",
    ),
    forbids=(r"\bnever\b", r"^(?:please )?(?:don't|do not|stop|quit|avoid|no)\b", r"\byou not to\b"),
    filler=r"\b(?:always|please|from now on|going forward|in (?:the )?future|i(?:'d| would)? (?:like|want|need) you to|you (?:should|must)|make sure|be sure|remember|include|mention|show|give|tell|add|whenever|to|me|the answers?)\b",
    denial=(
        r"\bnot\b…\bever\b",
        r"\bnever\b|\bnot once\b|\bno longer\b|\byet to\b|\bneither\b|\bnot (?:yet|so far|at all)\b",
        r"\b(?:i|we|i'm|we're|i'd|we'd|i've|we've|there)(?: really| actually| still| simply| just| certainly| definitely)? ?(?:haven't|hadn't|have not|had not|hasn't|didn't|did not|don't|do not|wasn't|was not|weren't|isn't|am not|not|aren't|couldn't) \w",
        r"\b(?:no|zero|without any) (?:prior |previous |real )?(?:experience|contact|history|trace)\b|\bnothing to do with\b",
    ),
    claim=(
        r"\b(?:i|we|i've|we've|i'm|we're|i'd|we'd|my|our|me|us|mine|ours)\b",
        r"^(?:just |finally |already )*\w{2,}ed\b",
    ),
    clause=r"[,;]? (?:but|because|although|though|while|whereas|so|however|yet|except) |; ",
    asks=(
        r"^(?:should|shall|do|does|did|can|could|would|will|is|are|was|were|have|has|what|which|who|when|where|why|how)(?:n't)? (?:i|we|you|it|the|this|that|there|my|our|they|he|she|any|about|if|many|much|long|is|are|was|do|does|did|should|would|can|could)\b(?!.{0,100},)",
        r"\b(?:wonder(?:ing)?|not sure|asked|asking|curious|unsure|know|tell me|decide|see|check) (?:if|whether|how|why|what|which)\b",
        r"\bshould i\b",
    ),
    supposed=(
        r"^(?:suppose|imagine|what if|let's say|say i)\b",
        r"\bif (?:i|you|we|someone|they|people)(?: \w+)? (?:prefer|like|love|hate|want|dislike|enjoy|would)\b",
    ),
    unreal=(
        r"^(?:if|suppose|imagine|assuming|unless|in case|what if|say)\b|\bas if\b",
        r"\b(?:want|hope|hoping|need|thinking (?:of|about)|consider|considering|intend|intending|would like|'d like)\b|\b(?:plan|planning|planned|going|about|trying) (?:to|on)\b",
        r"\b(?:will|'ll|might|may|could|would|should|shall)\b",
    ),
)

_MARKS = Marks(
    request=(
        phrases("""
            from now on, going forward, moving forward, from here on, henceforth, future, i ask, you to, if you, remember,
            ever, anymore, any more, until i, unless, without asking, rule, by default, convention, call me, address me
        """),
        phrases(
            "always, never, stop, quit, avoid, whenever, every time, each time, any time, when i, if i, when you, when we, no more"
        ),
        phrases("your, every, each, all, please"),
    ),
    preference=(
        phrases("""
            prefer, preferred, preference, dislike, detest, loathe, adore, despise, favor, favour, favourite, favorite, rather, sooner,
            fan of,
            fond of, keen on, partial to, allergic, allergy, intolerant, vegan, vegetarian, lactose, celiac, coeliac, left-handed, can't stand, cannot stand, go-to,
            of choice, person, any day, better for me, best for me, my usual, my default, drives me, not my, averse, picky,
            sensitive, dyslexic, blind, diet, soft spot
        """),
        phrases(
            "hate, enjoy, love, usually, normally, typically, generally, tend to, mostly, rarely, seldom, avoid"
        ),
        phrases(
            "i like, we like, don't like, i always, we always, i don't, we don't, i do not, i never, i can't, i cannot, i'm a, i'm an, i'm more, i am a, into"
        ),
    ),
)

ENGLISH = Language("en", _QUESTIONS, _STATEMENTS, _MARKS)
