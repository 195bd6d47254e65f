"""French: a first set."""

from __future__ import annotations

from memd.recall.languages.language import Language, Marks, Questions, Statements, phrases

_TASK = (
    "écris|rédige|crée|corrige|ajoute|fais|implémente|refactorise|conçois|génère|améliore|optimise|modifie|supprime"
    "|traduis|teste|documente|configure|compare|vérifie|prépare|planifie|renomme|remplace|aide|déploie|mets"
)
_DONE = "discuté|fait|abordé|parlé|accompli|vu|traité|construit"
_ORDER = (
    "réponds|écris|utilise|emploie|ajoute|mets|donne|montre|cite|mentionne|fais|demande|garde|laisse|explique|évite|parle"
    "|commence|inclus|vérifie|formate|teste|rappelle|préfère"
)
_ASK = (
    r"(?:quand|chaque fois que|lorsque|dès que|si) je (?:te |t')?(?:demande|parle|pose|interroge|mentionne)"
)

_QUESTIONS = Questions(
    opening=r"(?:bonjour|salut|bonsoir|coucou|alors|bon|ok|et|mais|merci|s'il te plaît|stp|svp|dis-moi|dis moi|tu te souviens(?: de)?|te souviens-tu(?: de)?|(?:peux|pourrais)-tu(?: me)?(?: dire)?|(?:tu )?(?:peux|pourrais)(?: me)?(?: dire)?)[\s,.:;!-]+",
    overview=(
        r"\brésum(?:e|er|é)\b(?! (?:ce|cette|ces) )|\brécapitul|\brécap\b|\bvue d'ensemble\b|\bfaire le point\b|\bfais le point\b",
        rf"\bde quoi avons-nous (?:parlé|discuté)\b|\bqu'avons-nous (?:{_DONE})\b(?! (?:pour|sur|de|à|avec|au) )|\b(?:qu'est-ce qu'on a|ce qu'on a|ce que nous avons|tout ce que nous avons|tout ce qu'on a) (?:{_DONE})\b",
        r"\bdans quel ordre\b|\bchronologi|\bfrise\b|\bhistorique (?:du|de la|de notre|des)\b",
        r"\bcomment\b…\b(?:évolué|changé|progressé|développé)\b",
        r"\boù en (?:étions-nous|sommes-nous|étions nous|est-on)\b|\bjusqu'(?:ici|à présent)\b",
    ),
    past=(
        r"\brappelle-moi\b|\brappelle moi\b",
        r"^(?:qu'est-ce que|que|quel\w*|quand|où|pourquoi|qui|comment|combien)\b…\b(?:avons-nous|ai-je|as-tu|avais-je|avions-nous|j'ai|on a|nous avons|tu as)\b",
    ),
    advice=(
        r"\b(?:devrais|dois|devrions|devons)-(?:je|nous)\b|\b(?:je|on|nous) (?:dois|devrais|devrait|doit|devrions|devons)\b|\bfaut-il\b|\bfaudrait-il\b",
        r"\brecommand|\bconseil|\bsugg[eè]r|\bque ferais-tu\b|\bqu'en penses-tu\b|\bavantages et inconvénients\b",
        r"\bcomment (?:puis-je|dois-je|faire|peut-on|pourrais-je|je peux|on peut|je dois|\w+er|\w+ir)\b",
        r"\baide[- ](?:moi|nous)\b|\bm'aider\b|\bdes idées\b|\bune idée\b|\bmeilleure? (?:façon|manière|moyen|approche|solution|choix|méthode)\b|\bvaut-il (?:mieux|la peine)\b|\best-ce (?:mieux|une bonne idée)\b",
        rf"^(?:{_TASK})\b",
        r"^(?:j'ai besoin|je veux|je voudrais|j'aimerais|nous devons|il faut)\b|^(?:puis-je|peut-on|pouvons-nous)\b",
    ),
    lookup=(
        r"^(?:qui|quand|où|quel|quelle|quels|quelles|combien|à quel\w*|depuis quand|lequel|laquelle)\b",
        r"^(?:qu'est-ce que|que|quoi|c'était quoi|c'est quoi)\b(?! (?:c'est|une?)\b)",
        r"^pourquoi (?:avons-nous|utilisons-nous|on|nous|ai-je)\b",
        r"^(?:est-ce que|avons-nous|ai-je|as-tu|y a-t-il|utilisons-nous) ?",
        r"^(?:trouve|montre|cherche|liste|cite)\b",
    ),
    happened=(
        r"^(?:ai-je|avons-nous|avais-je|avions-nous|suis-je|sommes-nous)\b",
        r"^est-ce que (?:j'ai|nous avons|on a|j'avais)\b",
        r"^(?:j'ai|on a|nous avons) (?:déjà|jamais)\b…\?",
        r"^y a-t-il (?:déjà|jamais) eu\b",
    ),
    faint="ai je avons nous déjà jamais est ce que utilisé fait travaillé avec on un une le la",
)

_STATEMENTS = Statements(
    request=(
        rf"^(?:s'il te plaît,? )?(?:{_ORDER})\b…\b(?:toujours|jamais|systématiquement|à chaque fois|dans (?:toutes )?tes|dans chaque)\b",
        r"^(?:s'il te plaît,? )?n(?:e |')\w+(?: \w+){0,2} (?:jamais|plus)\b|^(?:toujours|jamais|ne jamais) \w",
        r"\b(?:désormais|dorénavant)\b|\bà partir de maintenant\b|^à l'avenir\b|\bpar défaut\b",
        r"\b(?:je veux|je voudrais|j'aimerais|je souhaite) que tu\b|\btu (?:dois|ne dois) (?:toujours|jamais)\b",
        rf"\b{_ASK}\b",
        r"^n'oublie (?:pas|jamais)\b|^souviens-toi\b|^(?:évite|arrête) d|^appelle-moi\b|^pense (?:toujours )?à\b",
    ),
    one_off=(
        r"^(?:je|j'|nous|on|il|elle|ils)\b.{0,20}\b(?:toujours|jamais)\b",
        r"\b(?:a dit|disait|dit que)\b",
    ),
    polite=(r"^(?:peux|pourrais)-tu\b…\b(?:toujours|désormais|à chaque fois|jamais)\b",),
    condition=rf"\b{_ASK}(?: (?:de|d'|du|des|sur|à propos de))?(?P<topic>[^,.;:!]*)",
    forbids=(
        r"\b(?:jamais|évite|arrête)\b",
        r"\bne\b…\b(?:pas|plus|jamais)\b",
    ),
    filler=r"\b(?:toujours|désormais|dorénavant|à l'avenir|à partir de maintenant|inclus|mentionne|donne|montre|ajoute|que tu|je veux|j'aimerais|s'il te plaît|n'oublie pas de)\b",
    preference=(
        r"\b(?:je préfère|je préférerais|j'adore|je déteste|je hais|j'évite|j'apprécie|nous préférons|on préfère|je privilégie)\b",
        r"\bj'aime(?:rais mieux)?\b|\bje n'aime (?:pas|guère)\b|\bje ne supporte pas\b|\bje (?:ne )?mange (?:pas|plus)\b",
        r"\b(?:d'habitude|généralement|normalement|en général)\b…\b(?:je|j'|on|nous)",
        r"\b(?:je|j'|nous|on)\b…\b(?:d'habitude|généralement|normalement|en général)\b",
        r"\bm(?:on|a|es)\b[\w ]{1,30}\bpréférée?s?\b|\bje (?:ne )?suis (?:pas )?(?:fan|allergique|végétarien\w*|végane?|vegan|intolérant\w*)\b",
    ),
    passing=(r"\bj'aime (?:bien )?(?:ça|cette|cet|ce|ton|ta|l'idée)\b|\bj'aimerais\b(?! mieux)",),
    claim=(r"\b(?:je|nous|on|mon|ma|mes|notre|nos)\b|\bj'",),
    denial=(
        r"\b(?:jamais|aucun|aucune)\b|\bpas encore\b",
        r"\bne\b…\bplus\b",
        r"\b(?:n'ai|n'avons|n'a|ne suis|ne sommes|n'utilise|n'utilisons)(?: \w+)? pas\b",
    ),
    clause=r",? (?:mais|parce que|car|bien que|alors que|tandis que) ",
    asks=(
        r"^(?:est-ce|devrais-je|dois-je|puis-je|qui|quand|où|pourquoi|comment|quel\w*|combien)\b(?!.{0,100},)",
        r"\b(?:je me demande|savoir si)\b",
    ),
    supposed=(r"^(?:suppose|imagine|imaginons)\b|\bsi (?:tu|on|vous) (?:préfère|préfères|aime|aimes)\b",),
    unreal=(
        r"^(?:si|suppose|imaginons)\b",
        r"\b(?:veux|voulons|voudrais|aimerais|pourrais|devrais|devrait|vais|allons|compte|envisage|peut-être)\b",
    ),
)

_MARKS = Marks(
    request=(
        phrases("""
            désormais, dorénavant, à partir de maintenant, à l'avenir, par défaut, que tu, n'oublie, souviens toi,
            appelle moi, systématiquement, à chaque fois, chaque fois que
        """),
        phrases("toujours, jamais, évite, arrête, je te demande, je demande, je parle, ne plus"),
        phrases("tes, chaque, toutes"),
    ),
    preference=(
        phrases("""
            préfère, préférerais, préférons, préféré, préférée, privilégie, déteste, adore, apprécie, allergique,
            végétarien, végétarienne, végane, intolérant, ne supporte pas, d'habitude, mieux
        """),
        phrases("j'aime, n'aime, évite, généralement, normalement, en général, mange pas, mange plus"),
        phrases("fan, je hais"),
    ),
)

FRENCH = Language("fr", _QUESTIONS, _STATEMENTS, _MARKS)
