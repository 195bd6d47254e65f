"""Words that a dot behind does not end a sentence after, per language; lower case, without that dot."""

from __future__ import annotations

_ALWAYS = {
    "en": "mr mrs ms dr prof st mt gen col capt lt sgt rev hon gov sen rep vs v cf eg e.g ie i.e viz approx al esp ibid"
    " resp incl excl dept min max avg temp ver",
    "de": "hr fr z.b z.h d.h u.a o.ä bzw ca evtl ggf inkl exkl sog vgl zzgl abzgl bsp zt z.t mind max st str tel",
    "fr": "m mm mme mlle me p.ex ex env cad c.-à-d chap éd",
    "es": "sr sra srta dr dra ud uds p.ej ej aprox núm pág",
}
_BEFORE_SMALL = {
    "en": "etc inc ltd co corp jr sr bros a.m p.m est jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu"
    " fri sat sun",
    "de": "usw usf etc o.g u.v.m",
    "fr": "etc",
    "es": "etc ee.uu",
}
_BEFORE_NUMBERS = {
    "en": "no nos fig figs eq p pp vol ch sec art v",
    "de": "nr abb abs s kap art",
    "fr": "n no art p fig",
    "es": "n art p fig",
}
_MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jan Feb Mär Apr Jun Jul"
    " Aug Sep Okt Nov Dez",
}


def _words(table: dict[str, str]) -> frozenset[str]:
    return frozenset(" ".join(table.values()).split())


ALWAYS = _words(_ALWAYS)
# Followed by a capital they do end one: "... logs, traces etc. We decided ..."
BEFORE_SMALL = _words(_BEFORE_SMALL)
BEFORE_NUMBERS = _words(_BEFORE_NUMBERS)
# "am 3. Oktober": the dot makes the number an ordinal.
MONTHS = tuple(sorted(_words(_MONTHS)))
