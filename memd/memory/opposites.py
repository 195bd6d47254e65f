"""Words that turn a statement round: negations, and words of which one cannot hold where another does.

A line is an axis, its texts are the sides; the forms of a word stand beside it. English first, then the words that
German, French and Spanish use most for the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NEGATIONS = """
    not no never none nothing nobody nowhere neither nor cannot without except unless hardly barely avoid avoids
    avoided refuse refuses refused lacks lacking instead only isnt dont doesnt didnt wont cant shouldnt mustnt
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder keinesfalls außer nur
    pas jamais aucun aucune rien sans personne ni seulement
    nunca jamás sin ningún ninguno ninguna nada nadie tampoco excepto salvo solo sólo solamente
"""
NEGATIONS = frozenset(_NEGATIONS.split())

_MONTHS = "january february march april june july august september october november december"
_NUMBERS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"
_ZAHLEN = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_COLOURS = "red green blue yellow orange purple black white grey"

AXES: tuple[tuple[str, ...], ...] = (
    (
        "allow allows allowed allowing permit permits permitted erlaubt erlauben autorisé permis permitido permite",
        "forbid forbids forbidden disallow disallows disallowed prohibit prohibits prohibited deny denies denied ban"
        " bans banned verboten verbieten interdit interdite prohibido prohíbe",
    ),
    (
        "enable enables enabled enabling aktiviert aktivieren activé activer activado activar habilitado habilitar",
        "disable disables disabled disabling deaktiviert deaktivieren désactivé désactiver desactivado desactivar"
        " deshabilitado deshabilitar",
    ),
    (
        "always immer stets toujours siempre",
        "never seldom rarely nie niemals jamais nunca",
        "sometimes manchmal parfois veces",
    ),
    ("true wahr vrai verdadero", "false falsch faux falso"),
    ("yes ja oui sí", "no nein non"),
    ("on", "off"),
    ("before vor vorher avant antes", "after nach nachher après después"),
    (
        "min minimum minimal least mindestens minimale mínimo",
        "max maximum maximal most höchstens maximale máximo",
    ),
    (
        "more greater larger longer mehr größer más",
        "less fewer smaller shorter weniger kleiner moins menos menor",
    ),
    ("above over über", "below under unter"),
    ("high higher highest hoch höher haut alto", "low lower lowest niedrig niedriger bas bajo"),
    ("required mandatory must pflicht obligatoire obligatorio", "optional may facultatif opcional"),
    ("include includes included including", "exclude excludes excluded excluding"),
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
        "monday mondays montag montags lundi lunes",
        "tuesday tuesdays dienstag dienstags mardi martes",
        "wednesday wednesdays mittwoch mittwochs mercredi miércoles",
        "thursday thursdays donnerstag donnerstags jeudi jueves",
        "friday fridays freitag freitags vendredi viernes",
        "saturday saturdays samstag samstags samedi sábado",
        "sunday sundays sonntag sonntags dimanche domingo",
    ),
    tuple(_MONTHS.split()),
    tuple(_NUMBERS.split()),
    tuple(_ZAHLEN.split()),
    tuple(_COLOURS.split()),
)

# A word that begins so is the opposite of the rest of it: unsupported, invalid, irregular.
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis")

# Units by their names, each with all that it is called; short forms count behind a number alone.
UNITS: Mapping[str, str] = {
    "nanosecond": "ns nanoseconds",
    "microsecond": "us µs microseconds",
    "millisecond": "ms msec millis milliseconds",
    "second": "s sec secs seconds sekunde sekunden seconde secondes segundo segundos",
    "minute": "min mins minutes minuten minuto minutos",
    "hour": "h hr hrs hours stunde stunden heure heures hora horas",
    "day": "d days tag tage tagen jour jours día días",
    "week": "w weeks woche wochen semaine semaines semana semanas",
    "month": "mo months monat monate monaten mois mes meses",
    "year": "y yr yrs years jahr jahre jahren année années año años",
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


def sides(axes: Sequence[Sequence[str]]) -> dict[str, list[tuple[int, int]]]:
    """On which axes a word stands, and on which side of each."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, axis in enumerate(axes):
        for side, words in enumerate(axis):
            for word in words.split():
                found.setdefault(word, []).append((number, side))
    return found
