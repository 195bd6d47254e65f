"""Spanish: a first set."""

from __future__ import annotations

from memd.recall.languages.language import Language, Marks, Questions, Statements, phrases

_TASK = (
    "escribe|redacta|crea|corrige|arregla|añade|agrega|haz|implementa|refactoriza|diseña|genera|mejora|optimiza|cambia"
    "|elimina|borra|traduce|prueba|documenta|configura|compara|revisa|prepara|planifica|renombra|reemplaza|ayuda|despliega|pon"
)
_DONE = "hablado|discutido|hecho|visto|tratado|trabajado|logrado|conseguido|construido"
_ORDER = (
    "responde|contesta|escribe|usa|utiliza|emplea|añade|agrega|pon|da|dame|muestra|cita|menciona|haz|pregunta|mantén|deja"
    "|explica|evita|habla|empieza|incluye|comprueba|formatea|recuerda|prefiere"
)
_ASK = r"(?:cuando|cada vez que|siempre que|si) (?:te )?(?:pregunte|pida|hable|mencione|pregunto|pido|hablo)"

_QUESTIONS = Questions(
    opening=r"(?:hola|buenos días|buenas(?: tardes| noches)?|oye|bueno|ok|vale|y|pero|gracias|por favor|dime|¿?(?:puedes|podrías)(?: por favor)?(?: decirme)?|¿?(?:te acuerdas|recuerdas)(?: de)?)[\s,.:;!-]+",
    overview=(
        r"\bresum(?:e|en|ir|eme)\b(?! (?:este|esta|estos|estas)\b)|\brecapitul|\bvisión general\b|\bpanorama general\b|\brepaso\b|\bhaz un repaso\b",
        rf"\b(?:de qué|qué) hemos (?:{_DONE})\b(?! (?:con|sobre|para|en el|en la|respecto) )|\b(?:todo )?lo que hemos (?:{_DONE})\b|\bqué hicimos (?:ayer|hoy|esta semana|la semana)\b",
        r"\ben qué orden\b|\bcronol[óo]gic|\blínea de tiempo\b|\bhistorial? (?:del|de la|de nuestro)\b",
        r"\bcómo (?:ha|han|fue)\b…\b(?:evolucion|cambi|progres|desarroll)\w+",
        r"\bdónde (?:lo dejamos|nos quedamos|íbamos|estábamos)\b|\bhasta ahora\b",
    ),
    past=(
        r"\brecuérdame\b",
        r"^¿?(?:qué|cuál\w*|cuándo|dónde|por qué|quién|cómo|cuánt\w+)\b…\b(?:decidimos|dijimos|dije|dijiste|hicimos|elegimos|acordamos|usamos|recomendaste|sugeriste|hemos|habíamos|mencioné|pusimos|dejamos)\b",
    ),
    advice=(
        r"\b(?:debería|deberíamos|debo|debemos|tendría que|conviene)\b",
        r"\brecom(?:iend|end)|\bconsej|\bsug(?:ier|er)|\bqué harías\b|\bqué opinas\b|\bqué te parece\b|\bventajas y desventajas\b|\bpros y contras\b",
        r"\bcómo (?:puedo|podemos|debo|hago|hacemos|se puede|podría|se hace|\w+[aei]r)\b",
        r"\bayúdame\b|\bayúdanos\b|\bnecesito ayuda\b|\balguna idea\b|\bideas para\b|\bmejor (?:forma|manera|modo|opción|enfoque|solución|práctica)\b|\bvale la pena\b|\bes mejor\b",
        rf"^(?:{_TASK})\b",
        r"^(?:necesito|quiero|quisiera|me gustaría|tenemos que|tengo que|hay que)\b|^¿?(?:puedo|podemos|se puede)\b",
    ),
    lookup=(
        r"^¿?(?:quién|quiénes|cuándo|dónde|cuál|cuáles|cuánto|cuánta|cuántos|cuántas|desde cuándo|en qué|a qué)\b",
        r"^¿?qué\b(?! es una?\b)",
        r"^¿?por qué (?:usamos|elegimos|decidimos|tenemos|hicimos|dejamos)\b",
        r"^¿?(?:he \w+[ai]do|hemos|había|habíamos|usamos|tenemos|hay|está|es|son|era|fue) ",
        r"^(?:busca|encuentra|muestra|muéstrame|lista)\b",
    ),
    happened=(
        r"^¿?(?:he (?:\w+[ai]do|hecho|visto|escrito|puesto)|hemos|había|habíamos)\b",
        r"^¿?(?:alguna vez|ya) (?:he|hemos|había|usé|usamos|hice|hicimos)\b",
        r"^¿?hubo alguna vez\b",
    ),
    faint="he hemos alguna vez ya usado utilizado hecho trabajado con el la un una",
)

_STATEMENTS = Statements(
    request=(
        rf"^(?:por favor,? )?(?:{_ORDER})\b…\b(?:siempre|nunca|jamás|cada vez|en todas tus|en tus|en cada)\b",
        r"^(?:por favor,? )?(?:siempre|nunca|jamás) (?!he\b|hemos\b|fue\b|era\b|me\b|mejor\b)\w",
        r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante)\b|^en (?:el )?futuro\b|\bpor defecto\b",
        r"\b(?:quiero|quisiera|me gustaría|prefiero|necesito) que (?:siempre|nunca|no|uses|respondas|escribas|incluyas|añadas|menciones|preguntes|evites|pongas|me)\b|\b(?:debes|tienes que) (?:siempre|nunca)\b|\bno \w+ nunca\b",
        rf"\b{_ASK}\b",
        r"^recuerda (?:que|siempre|incluir|añadir)\b|^(?:evita|deja de)\b|^llámame\b|^no olvides\b|^acuérdate\b",
    ),
    one_off=(r"^(?:yo|nosotros|él|ella|ellos)\b.{0,20}\b(?:siempre|nunca)\b", r"\b(?:dijo|decía|dice que)\b"),
    polite=(r"^¿?(?:puedes|podrías)\b…\b(?:siempre|nunca|a partir de ahora|cada vez)\b",),
    condition=rf"\b{_ASK}(?: (?:por|sobre|de|acerca de))?(?P<topic>[^,.;:!]*)",
    forbids=(r"\b(?:nunca|jamás|evita|deja de)\b|^no\b",),
    filler=r"\b(?:siempre|a partir de ahora|de ahora en adelante|incluye|menciona|da|muestra|añade|quiero que|me gustaría que|por favor|recuerda)\b",
    preference=(
        r"\b(?:prefiero|preferiría|preferimos|odio|detesto|adoro|me encanta|me encantan|evito|no soporto|aborrezco)\b(?! que (?:uses|me|tú))",
        r"\b(?:no )?me gustan?\b|\bno nos gusta\b|\bno (?:como|bebo|tomo) ",
        r"\b(?:normalmente|generalmente|habitualmente|por lo general|suelo|solemos)\b",
        r"\bmis?\b[\w ]{1,30}\b(?:favorit[oa]s?|preferid[oa]s?)\b|\bsoy (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|intolerante|más de|fan)\b",
    ),
    passing=(r"\bme gusta (?:eso|esto|la idea|tu|cómo|esa|ese|este|esta)\b|\bme gustaría\b",),
    claim=(
        r"\b(?:yo|nosotros|mi|mis|nuestr[oa]s?|me|nos|hemos)\b|\bhe (?:\w+[ai]do|hecho|visto|escrito|puesto)\b",
        r"\b\w{3,}(?:é|amos|imos)\b",
        r"\busé\b|\bhice\b|\buso\b",
    ),
    denial=(
        r"\b(?:nunca|jamás|ningun[oa]?|ningún|todavía no|aún no|ya no)\b",
        r"^no (?:he|hemos|uso|usamos|usé|hice)\b|\bno (?:he|hemos|había|habíamos)\b",
    ),
    clause=r",? (?:pero|porque|aunque|mientras|sino) ",
    asks=(r"^¿", r"\b(?:me pregunto|saber si|no sé si)\b|\bdebería\b"),
    supposed=(r"^(?:supón|imagina|supongamos)\b|\bsi (?:prefieres|te gusta|alguien)\b",),
    unreal=(
        r"^(?:si|supongamos)\b",
        r"\b(?:quiero|queremos|quisiera|voy a|vamos a|podría|debería|pienso|planeo|quizás|tal vez|gustaría)\b",
    ),
)

_MARKS = Marks(
    request=(
        phrases("""
            a partir de ahora, de ahora en adelante, desde ahora, en adelante, en el futuro, por defecto, quiero que,
            gustaría que, prefiero que, recuerda, no olvides, acuérdate, llámame, cada vez, siempre que
        """),
        phrases("siempre, nunca, jamás, evita, deja de, te pregunte, te pida, pregunte por, hable de"),
        phrases("tus, cada"),
    ),
    preference=(
        phrases("""
            prefiero, preferiría, preferimos, detesto, adoro, me encanta, no soporto, aborrezco, suelo, solemos,
            normalmente, habitualmente, favorito, favorita, preferido, preferida, alérgico, alérgica, vegetariano,
            vegetariana, vegano, vegana, intolerante
        """),
        phrases("me gusta, me gustan, odio, evito, generalmente, por lo general"),
        phrases("no como, no bebo, no tomo"),
    ),
)

SPANISH = Language("es", _QUESTIONS, _STATEMENTS, _MARKS)
