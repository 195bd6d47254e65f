"""Words that turn a statement round: negations, and words of which one cannot hold where another does.

A line is an axis, its texts are the sides; the forms of a word stand beside it. English first, then the words that
other languages use most for the same; a language that is missing here has ``differences`` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NEGATIONS = """
    not no never none nothing nobody nowhere neither nor cannot without except unless hardly barely avoid avoids
    avoided refuse refuses refused lacks lacking instead only isnt dont doesnt didnt wont cant shouldnt mustnt
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder keinesfalls außer nur
    pas jamais aucun aucune rien sans personne ni seulement
    nunca jamás sin ningún ninguno ninguna nada nadie tampoco excepto salvo solo sólo solamente
    não nem sem nenhum nenhuma non nessuno niente senza niet geen nooit zonder ikke inte aldrig uten utan
    nie nigdy bez nikdy değil tidak jangan tanpa bukan không chưa đừng δεν μην όχι ποτέ χωρίς
    не ни нет нельзя никогда никто ничего ничто без кроме ні ніколи немає только לא אין בלי אל
    لا لم لن ليس ليست غير بدون دون نه نیست هرگز नहीं मत न बिना
"""
NEGATIONS = frozenset(_NEGATIONS.split())

_MONTHS = "january february march april june july august september october november december"
_NUMBERS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"
_ZAHLEN = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_NUMERALS = (
    _NUMBERS,
    _ZAHLEN + " zwanzig dreißig vierzig fünfzig hundert",
    "deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante cent",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta cien",
    "два три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят сто",
    "두 세 네 다섯 여섯 일곱 여덟 아홉 열 스무",
    "اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشرون ثلاثون",
    "दो तीन चार पाँच छह सात आठ नौ दस बीस तीस",
)
_COLOURS = "red green blue yellow orange purple black white grey"

AXES: tuple[tuple[str, ...], ...] = (
    (
        "allow allows allowed allowing permit permits permitted erlaubt erlauben autorisé permis permitido permite"
        " разрешено разрешён разрешена разрешены разрешает можно 허용 مسموح अनुमति",
        "forbid forbids forbidden disallow disallows disallowed prohibit prohibits prohibited deny denies denied ban"
        " bans banned verboten verbieten interdit interdite prohibido prohíbe"
        " запрещено запрещён запрещена запрещены запрещает 금지 ممنوع वर्जित",
    ),
    (
        "enable enables enabled enabling aktiviert aktivieren activé activer activado activar habilitado habilitar"
        " включено включён включен включена включены включить",
        "disable disables disabled disabling deaktiviert deaktivieren désactivé désactiver desactivado desactivar"
        " deshabilitado deshabilitar выключено выключен выключена выключены выключить отключено отключён отключен"
        " отключена отключены отключить",
    ),
    (
        "always immer stets toujours siempre sempre всегда 항상 دائما हमेशा",
        "never seldom rarely nie niemals jamais nunca никогда редко 절대 أبدا",
        "sometimes manchmal parfois veces иногда 가끔 أحيانا",
    ),
    ("true wahr vrai verdadero", "false falsch faux falso"),
    ("yes ja oui sí да", "no nein non нет"),
    ("on", "off"),
    ("an", "aus"),
    (
        "before vor vorher avant antes до перед 전에 قبل पहले",
        "after nach nachher après después после 후에 بعد बाद",
    ),
    (
        "min minimum minimal least mindestens minimale mínimo минимум минимальный",
        "max maximum maximal most höchstens maximale máximo максимум максимальный",
    ),
    (
        "more greater larger longer mehr größer más больше более",
        "less fewer smaller shorter weniger kleiner moins menos menor меньше менее",
    ),
    ("above over über", "below under unter"),
    ("high higher highest hoch höher haut alto", "low lower lowest niedrig niedriger bas bajo"),
    ("required mandatory must pflicht obligatoire obligatorio", "optional may facultatif opcional"),
    ("include includes included including", "exclude excludes excluded excluding"),
    ("all every each alle jede jeder jedes", "some einige manche"),
    ("brief concise terse knapp", "detailed verbose ausführlich"),
    ("accept accepts accepted", "reject rejects rejected"),
    ("add adds added adding", "remove removes removed removing delete deletes deleted drop drops dropped"),
    ("start starts started begin begins", "stop stops stopped end ends ended"),
    ("open opens opened", "close closes closed"),
    (
        "increase increases increased raise raises raised",
        "decrease decreases decreased reduce reduces reduced",
    ),
    (
        "succeed succeeds succeeded success pass passes passed works",
        "fail fails failed failure broken breaks",
    ),
    ("public öffentlich público", "private privat privé privado"),
    ("internal intern interne interno", "external extern externe externo"),
    ("local", "remote"),
    ("read reads reading readable", "write writes writing writable"),
    ("sync synchronous synchronously", "async asynchronous asynchronously"),
    ("manual manually", "automatic automatically auto"),
    ("light hell clair claro", "dark dunkel sombre oscuro"),
    ("tabs tab", "spaces space"),
    ("left links gauche izquierda", "right rechts droite derecha"),
    ("top upper oben", "bottom unten"),
    ("first erste erster premier primero", "last letzte letzter dernier último"),
    ("old older alt ancien viejo", "new newer neu nouveau nuevo"),
    ("like likes love loves mag liebt aime", "dislike dislikes hate hates hasst déteste odia"),
    ("prefer prefers preferred bevorzugt préfère prefiere", "avoid avoids avoided meidet évite evita"),
    ("show shows shown visible", "hide hides hidden"),
    ("lock locks locked", "unlock unlocks unlocked"),
    ("install installs installed", "uninstall uninstalls uninstalled"),
    ("encrypt encrypts encrypted", "decrypt decrypts decrypted plaintext"),
    ("import imports imported", "export exports exported"),
    ("push pushes pushed", "pull pulls pulled"),
    ("merge merges merged", "rebase rebases rebased", "squash squashes squashed"),
    ("upgrade upgrades upgraded", "downgrade downgrades downgraded"),
    ("upstream", "downstream"),
    ("inbound incoming ingress", "outbound outgoing egress"),
    ("ascending asc", "descending desc"),
    ("primary master main", "secondary replica backup standby"),
    ("source", "target destination"),
    ("parent", "child"),
    ("client", "server"),
    ("frontend", "backend"),
    ("production prod", "staging stage", "development dev", "testing test"),
    ("static", "dynamic"),
    ("serial sequential", "parallel concurrent"),
    ("horizontal", "vertical"),
    ("hourly", "daily nightly täglich quotidien diario", "weekly", "monthly", "yearly annually"),
    ("morning", "noon", "afternoon", "evening", "night"),
    (
        "monday mondays montag montags lundi lunes"
        " segunda понедельник понедельника понедельникам 월요일 الاثنين सोमवार",
        "tuesday tuesdays dienstag dienstags mardi martes"
        " terça вторник вторника вторникам 화요일 الثلاثاء मंगलवार",
        "wednesday wednesdays mittwoch mittwochs mercredi miércoles"
        " quarta среда среду среды средам 수요일 الأربعاء बुधवार",
        "thursday thursdays donnerstag donnerstags jeudi jueves"
        " quinta четверг четверга четвергам 목요일 الخميس गुरुवार",
        "friday fridays freitag freitags vendredi viernes"
        " sexta пятница пятницу пятницы пятницам 금요일 الجمعة शुक्रवार",
        "saturday saturdays samstag samstags samedi sábado"
        " суббота субботу субботы субботам 토요일 السبت शनिवार",
        "sunday sundays sonntag sonntags dimanche domingo"
        " воскресенье воскресенья воскресеньям 일요일 الأحد रविवार",
    ),
    tuple(_MONTHS.split()),
    *(tuple(numerals.split()) for numerals in _NUMERALS),
    tuple(_COLOURS.split()),
)

# A word that begins so is the opposite of the rest of it: unsupported, invalid, irregular.
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis")

# Units by their names, each with all that it is called; short forms count behind a number alone.
UNITS: Mapping[str, str] = {
    "nanosecond": "ns nanoseconds",
    "microsecond": "us µs microseconds",
    "millisecond": "ms msec millis milliseconds",
    "second": "секунда секунды секунд 초 s sec secs seconds sekunde sekunden seconde secondes segundo segundos",
    "minute": "минута минуты минут 분 min mins minutes minuten minuto minutos",
    "hour": "час часа часов 시간 h hr hrs hours stunde stunden heure heures hora horas",
    "day": "день дня дней 일 d days tag tage tagen jour jours día días",
    "week": "неделя недели недель w weeks woche wochen semaine semaines semana semanas",
    "month": "месяц месяца месяцев 개월 mo months monat monate monaten mois mes meses",
    "year": "год года лет 년 y yr yrs years jahr jahre jahren année années año años",
    "bit": "bits",
    "byte": "b bytes octets",
    "kilobyte": "k kb kib kilobytes",
    "megabyte": "m mb mib megabytes",
    "gigabyte": "g gb gib gigabytes",
    "terabyte": "t tb tib terabytes",
    "percent": "% pct prozent pourcent",
    "pixel": "px pixels",
    "em": "rem",
    "point": "pt pts points",
    "millimetre": "mm",
    "centimetre": "cm",
    "kilometre": "km",
    "gram": "grams",
    "kilogram": "kg",
    "hertz": "hz",
    "kilohertz": "khz",
    "megahertz": "mhz",
    "gigahertz": "ghz",
    "core": "cores",
    "thread": "threads",
    "token": "tokens",
    "line": "lines",
    "row": "rows",
    "file": "files",
    "euro": "€ eur euros",
    "dollar": "$ usd dollars",
    "pound": "£ gbp pounds",
}

# The unit that a word names.
UNIT_OF = {word: unit for unit, words in UNITS.items() for word in (unit, *words.split())}


def sides(axes: Sequence[Sequence[str]]) -> dict[str, list[tuple[int, int]]]:
    """On which axes a word stands, and on which side of each."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, axis in enumerate(axes):
        for side, words in enumerate(axis):
            for word in words.split():
                found.setdefault(word, []).append((number, side))
    return found
