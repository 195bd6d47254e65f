"""Questions as people ask them, by the route they take; written apart from the patterns, which they measure."""

from __future__ import annotations

PHRASINGS: dict[str, str] = {
    "overview": """
        Summarise everything we talked about this month
        Could you recap the work on the billing service?
        Give me a short summary of our conversations
        I need an overview of the decisions so far
        What have we been doing on this project?
        In which order did we tackle the modules?
        How did the architecture evolve over time?
        How has the plan for the release changed since March?
        Walk me through what we did last week
        Catch me up on the migration
        Where did we leave off yesterday?
        List all the topics we covered
        What did we get done today?
        What topics have come up so far in our sessions?
        Can you put together a timeline of the incident?
        Which features did we work on this sprint?
        What were the key decisions?
        Tell me the story of the auth rewrite: how did it develop?
        Bring me up to speed
        What has happened since Monday?
        Fasse bitte zusammen, was wir besprochen haben
        Was haben wir diese Woche alles geschafft?
        Wie hat sich der Plan entwickelt?
        In welcher Reihenfolge haben wir die Themen besprochen?
        Résume ce que nous avons fait cette semaine
        Dans quel ordre avons-nous abordé les sujets ?
        Comment le projet a-t-il évolué ?
        Resume lo que hemos hablado
        ¿En qué orden tratamos los temas?
        ¿Cómo ha cambiado el plan con el tiempo?
        总结一下我们讨论过的内容
        我们按什么顺序讨论了这些话题？
        这个方案是怎么演变的？
        これまでの話をまとめて
        計画はどう変わってきましたか？
    """,
    "advice": """
        Should we move to Kubernetes now or wait?
        What would you recommend for background jobs?
        How can I make this query faster?
        How do I roll back a failed deploy?
        Write a unit test for the parser
        Please refactor the login handler
        Can you help me debug this race condition?
        Add pagination to the orders endpoint
        What is the best way to store feature flags?
        Any tips on naming these modules?
        I need to plan the offsite agenda
        Would it be better to use a queue here?
        Is it worth adding a cache?
        Pros and cons of gRPC for this?
        Draft an email to the vendor about the outage
        Fix the off-by-one in the date picker
        Let's design the schema for invoices
        Could you review my pull request?
        Suggest a name for the new repository
        Which is better for us, Kafka or RabbitMQ?
        What should I cook for the team dinner?
        Make the button blue
        I'd like some ideas for the demo
        How would you structure this package?
        Can we drop support for Python 3.9?
        Hi! Could you please set up linting in CI?
        Sollte ich lieber Redis oder Postgres nehmen?
        Wie kann ich den Build beschleunigen?
        Schreib mir bitte einen Test für den Parser
        Was würdest du für das Logging empfehlen?
        Devrais-je utiliser Docker ici ?
        Comment puis-je accélérer les tests ?
        Écris un script de sauvegarde
        ¿Debería usar una caché aquí?
        ¿Cómo puedo mejorar el rendimiento?
        Ayúdame a planear la migración
        我应该用哪个数据库？
        帮我写一个备份脚本
        怎么优化这个查询？
        キャッシュを使うべきですか？
        テストを書いてください
    """,
    "lookup": """
        Which port did we assign to the admin server?
        When did I say the contract ends?
        What was the name of the vendor we chose?
        Who suggested dropping the nightly job?
        How many replicas are we running?
        Where is the config for the staging cluster?
        Did we ever fix the memory leak?
        Have I told you about my sister's wedding?
        Remind me why we picked SQLite
        What timeout did you suggest for the webhook?
        Do we still support IE11?
        Why did we abandon the plugin idea?
        What's my preferred editor?
        How long did the last migration take?
        Do you remember the error code from the payment gateway?
        Has the certificate been renewed?
        What did I call the branch?
        Is the rate limit 100 or 200?
        Whose idea was the feature toggle?
        What version of Node are we on?
        Find the command I used to dump the table
        Was there a reason for the 30 second limit?
        Had we already merged the hotfix?
        Tell me which region the bucket is in
        Welche Datenbank haben wir gewählt?
        Wann habe ich das Release verschoben?
        Wie heißt der Branch für das Redesign?
        Quel port avons-nous choisi pour le serveur ?
        Quand ai-je parlé du contrat ?
        ¿Qué base de datos elegimos?
        ¿Cuándo dijimos que termina el contrato?
        我们选了哪个数据库？
        我上次说合同什么时候到期？
        データベースは何を選びましたか？
        締め切りはいつですか？
    """,
    "other": """
        The tests are green now
        ok thanks
        Yes, the second one
        postgres connection pool exhausted
        What is a bloom filter?
        Why is the build failing?
        That looks good to me
        TypeError: cannot unpack non-iterable NoneType object
        Hello there
        No, not like that
        src/app/main.py
        It still hangs after ten seconds
        Danke, das passt
        Merci, parfait
        谢谢，很好
    """,
}


def phrasings() -> list[tuple[str, str]]:
    """Each phrasing with its route."""
    return [
        (route, line.strip()) for route, lines in PHRASINGS.items() for line in lines.strip().splitlines()
    ]
