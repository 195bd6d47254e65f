"""German: a first set."""

from __future__ import annotations

from memd.recall.languages.language import Language, Marks, Questions, Statements, phrases

_TASK = (
    "schreibe?|erstelle?|plane?|behebe?|fixe?|baue?|füge?|mache?|implementiere?|refaktoriere?|prüfe?|überprüfe?|entwirf"
    "|verbessere?|optimiere?|ändere?|lösche?|entferne?|übersetze?|teste?|dokumentiere?|richte|aktualisiere?|vergleiche?"
    "|hilf|konfiguriere?|benenne?|ergänze?|repariere?|migriere?"
)
_DONE = "besprochen|gemacht|geschafft|diskutiert|bearbeitet|erreicht|erledigt|gebaut"
_ORDER = (
    "antworte?|schreibe?|verwende|nutze?|benutze?|nimm|füge?|gib|zeige?|nenne?|mache?|frage?|halte?|lass|achte|formatiere"
    "|kommentiere|teste|erkläre|vermeide|sprich|denke?|lösche?|ändere?|committe|pushe?|erwähne|prüfe|beginne|führe|verzichte|setze?"
)
_ASK = r"(?:immer )?(?:wenn|sobald) ich (?:dich )?(?:nach|über|um|von)"

_QUESTIONS = Questions(
    opening=r"(?:hallo|hi|hey|guten (?:morgen|tag|abend)|also|ok|okay|so|und|aber|bitte|danke|kurze frage|sag mal|sag mir|weißt du noch|(?:kannst|könntest|würdest) du(?: mir)?(?: bitte)?(?: sagen)?)[\s,.:;!-]+",
    overview=(
        r"\bfasse?(?: \w+){0,6} zusammen\b|\bzusammenfassung\b|\bzusammenfassen\b|\büberblick über\b|\brückblick\b",
        rf"\bwas haben wir(?: alles| bisher| bis jetzt| so| heute| gestern| diese woche| letzte woche)* (?:{_DONE})\b",
        rf"\balles,? was wir\b|\bworüber haben wir\b|\bwas wir(?: bisher| alles| bis jetzt)* (?:{_DONE})\b",
        r"\bin welcher reihenfolge\b|\bchronologisch\b|\bzeitleiste\b|\bzeitlicher ablauf\b|\bverlauf (?:des|der|unser\w*)\b",
        r"\bwie (?:hat|haben) sich\b…\b(?:entwickelt|verändert|geändert|gewandelt)\b",
        r"\bwo (?:waren|sind) wir (?:stehen ?geblieben|gerade)\b|\bbring mich auf (?:den neuesten )?stand\b|\bwas ist bisher passiert\b",
    ),
    past=(
        r"\berinnere? mich\b",
        r"^(?:was|wann|wo|warum|wieso|weshalb|wer|wie|wofür|womit|welche\w*)\b…\b(?:habe|haben|hast|hatte|hatten) (?:ich|wir|du)\b",
        r"^(?:was|wann|wo|warum|wieso|wer|wie|welche\w*)\b…\b(?:damals|nochmal|letztes mal)\W*$",
    ),
    advice=(
        r"\bsoll(?:te|ten|st|en)? (?:ich|wir|man|es|das)\b",
        r"\bempfiehl|\bempfehl|\bvorschl[aä]g|\bratschl[aä]g|\bwas würdest du\b|\bwas meinst du\b|\bvor- und nachteile\b",
        r"\bwie (?:kann|könnte|soll|sollte|würde|\w+e) (?:ich|man)\b|\bwie (?:können|könnten|sollen|sollten|\w+en) wir\b",
        r"\bhilf (?:mir|uns)\b|\bhilfe (?:bei|mit)\b|\bideen? (?:für|zu)\b|\btipps?\b",
        r"\bbeste[rsn]? (?:weg|art|möglichkeit|lösung|ansatz|methode)\b|\bam besten\b|\blohnt (?:es )?sich\b|\bist es (?:besser|sinnvoll|ok|okay|in ordnung)\b",
        rf"^(?:{_TASK})\b",
        r"^(?:ich|wir) (?:brauche|brauchen|möchte|möchten|will|wollen|muss|müssen)\b|^(?:kann|könnte|darf|können|könnten|dürfen) (?:ich|wir|man)\b|^lass uns\b",
    ),
    lookup=(
        r"^(?:wer|wem|wen|wann|wo|wohin|woher|wofür|womit|welche[rsmn]?|wie ?viele?|wie (?:lange|oft|hoch|groß|alt|heißt|hieß|lautet|lautete))\b",
        r"^was (?:ist|war|sind|waren|hat|haben|habe|steht|stand|heißt)\b(?! eine?\b)",
        r"^(?:warum|wieso|weshalb) (?:haben|hatten|nutzen|benutzen|verwenden|sind|waren) wir\b",
        r"^(?:ist|sind|war|waren|hat|habe|haben|hast|gibt|gab|nutzen|benutzen|verwenden|läuft) (?:ich|wir|du|es|das|der|die|unser\w*|mein\w*)\b",
        r"^(?:finde?|zeige?|suche?|liste|nenne?)\b",
    ),
    happened=(
        r"^(?:habe?|haben|hatte|hatten) (?:ich|wir)\b",
        r"^(?:bin|sind|war|waren) (?:ich|wir)\b…\b(?:schon|jemals|je|mal)\b",
        r"^gab es (?:je|jemals|schon)\b|\bob (?:ich|wir) (?:je|jemals|schon)\b",
    ),
    faint="je jemals schon mal habe haben hatte hatten ich wir benutzt verwendet genutzt gearbeitet gemacht mit",
)

_STATEMENTS = Statements(
    request=(
        rf"^(?:bitte )?(?:{_ORDER})\b…\b(?:immer|nie|niemals|stets|künftig|in zukunft|ab jetzt|ab sofort|bei jede[rmn]|in jede[rmn]|in deinen|in allen)\b",
        r"^(?:bitte )?(?:immer|nie|niemals|stets) \w",
        r"\bab (?:jetzt|sofort|heute|nun)\b|\bvon nun an\b|\bfortan\b|^(?:in zukunft|künftig|zukünftig)\b",
        r"\bich (?:möchte|will|hätte gerne?|wünsche mir|erwarte),? dass du\b|\bdu (?:sollst|musst|darfst) (?:immer|nie|niemals)\b",
        rf"\b{_ASK}\b",
        r"^(?:bitte )?(?:denke?|denk) (?:immer )?daran\b|^merke? dir\b|^(?:bitte )?vermeide\b|^hör auf\b|^nenne? mich\b|^(?:grundsätzlich|standardmäßig)\b",
    ),
    one_off=(
        r"^(?:ich|wir|er|sie|es|man)(?: \w+)? (?:immer|nie|niemals|stets)\b",
        r"\b(?:sagte|meinte|schrieb)\b",
    ),
    polite=(
        r"^(?:kannst|könntest|würdest) du\b…\b(?:immer|nie|niemals|ab jetzt|ab sofort|künftig|in zukunft)\b",
    ),
    condition=rf"\b{_ASK} (?P<topic>[^,.;:!]*)",
    forbids=(r"\b(?:nie|niemals|kein\w*|nicht mehr|vermeide|verzichte|hör auf)\b",),
    filler=r"\b(?:immer|stets|bitte|ab jetzt|ab sofort|künftig|in zukunft|füge|nenne|zeige?|gib|hinzu|mir|dass du|ich möchte)\b",
    preference=(
        r"\bich (?:\w+ )?(?:bevorzuge|mag|liebe|hasse|verabscheue|vermeide)\b|\b(?:bevorzuge|mag|liebe|hasse) ich\b|\bwir (?:bevorzugen|mögen)\b",
        r"\b(?:ich|wir) \w+(?: \w+){0,4} (?:lieber|am liebsten|gerne?|ungern)\b",
        r"\bist mir\b…\blieber\b",
        r"\b(?:ich|wir) \w+ (?:normalerweise|üblicherweise|meistens|meist|in der regel)\b|^(?:normalerweise|üblicherweise|meistens) \w+ (?:ich|wir)\b",
        r"\bmeine?[nmrs]? (?:liebling\w*|bevorzugt\w*|favorit\w*)|\bich bin (?:kein\w* )?(?:fan|freund|allergisch|vegetarier\w*|veganer\w*|vegan|vegetarisch)\b",
        r"\bich kann\b…\bnicht (?:leiden|ausstehen)\b",
    ),
    passing=(r"\bich mag (?:das|es|die idee|deine?[nr]?)\b|\bich hätte gerne?\b|\bich möchte\b",),
    claim=(r"\b(?:ich|wir|meine?[nmrs]?|unsere?[nmrs]?|mir|uns)\b",),
    denial=(
        r"\b(?:nie|niemals|noch nicht|nicht mehr|noch keine?[nmrs]?|keinmal)\b",
        r"\b(?:habe|haben|hatte|hatten|bin|sind|war|waren|nutze|nutzen|benutze|verwende|verwenden)\b(?: \w+){0,3} (?:nicht|keine?[nmrs]?)\b",
    ),
    clause=r",? (?:aber|weil|obwohl|während|sondern|doch|denn) ",
    asks=(
        r"^(?:soll|sollte|sollten|kann|können|darf|ist|sind|hat|haben|habe|war|waren|wer|was|wann|wo|warum|wieso|wie|welche\w*) (?:ich|wir|du|es|das|man|der|die|mein\w*|unser\w*)\b(?!.{0,100},)",
        r"\b(?:ob|frage mich)\b",
    ),
    supposed=(r"^(?:angenommen|stell dir vor|was wäre)\b|\bfalls (?:ich|du|wir|man)\b",),
    unreal=(
        r"^(?:wenn|falls|angenommen)\b",
        r"\b(?:wollen|möchten?|werden?|würden?|könnten?|sollten?|planen?|überlegen?|vielleicht)\b|\bich will\b",
    ),
)

_MARKS = Marks(
    request=(
        phrases("""
            ab jetzt, ab sofort, ab heute, ab nun, von nun an, in zukunft, künftig, zukünftig, fortan, dass du, merk dir,
            merke dir, denk daran, denke daran, nenn mich, nenne mich, grundsätzlich, standardmäßig
        """),
        phrases("immer, nie, niemals, stets, vermeide, verzichte, hör auf, wenn ich, sobald ich"),
        phrases("deinen, jeder, jedem, jeden, allen"),
    ),
    preference=(
        phrases("""
            bevorzuge, bevorzugen, verabscheue, lieber, am liebsten, ungern, normalerweise, üblicherweise, favorit,
            allergisch, vegetarier, vegetarisch, veganer, ausstehen, leiden
        """),
        phrases("mag, mögen, liebe, hasse, gern, gerne, meistens, in der regel, vermeide"),
        phrases("ich bin, lieblingseditor, lieblingssprache"),
    ),
)

GERMAN = Language("de", _QUESTIONS, _STATEMENTS, _MARKS)
