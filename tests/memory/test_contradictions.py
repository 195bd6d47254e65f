"""W8 in many languages: what says the opposite stands beside it and is told; a paraphrase is a sighting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.db.database import Database
from memd.memory.writer import Created, Refreshed
from tests.memory.stored import created, live, meaning, store
from tests.rows import database

CONTRADICTIONS = [
    ("我们允许在周五部署到生产环境", "我们不允许在周五部署到生产环境"),
    ("周五可以部署", "周五不可以部署"),
    ("缓存已启用", "缓存未启用"),
    ("集成测试通过", "集成测试没有通过"),
    ("主分支禁止强制推送", "主分支允许强制推送"),
    ("强制推送是禁止的", "团队允许大家强制推送"),
    ("日志保留三十天", "日志保留六十天"),
    ("日志保留30天", "日志保留三十小时"),
    ("备份保留七天", "备份保留九天"),
    ("每周三发布", "每周四发布"),
    ("回答要简短", "回答要详细"),
    ("用户喜欢猫", "用户喜欢狗"),
    ("订单服务调用支付服务", "支付服务调用订单服务"),
    ("我们使用 Redis 缓存会话", "我们使用 Memcached 缓存会话"),
    ("金曜日のデプロイは許可されています", "金曜日のデプロイは許可されていません"),
    ("毎週水曜日にリリースする", "毎週木曜日にリリースする"),
    ("ログは三十日保存する", "ログは六十日保存する"),
    ("テストが通る", "テストが通らない"),
    ("田中は佐藤をレビューする", "佐藤は田中をレビューする"),
    ("การทดสอบผ่าน", "การทดสอบไม่ผ่าน"),
    ("Тесты запускаются", "Тесты не запускаются"),
    ("Никогда не делаем squash", "Всегда делаем squash"),
    ("Доступ разрешён", "Доступ запрещён"),
    ("Релиз в понедельник", "Релиз во вторник"),
    ("Логи хранятся тридцать дней", "Логи хранятся шестьдесят дней"),
    ("금요일 배포는 허용됩니다", "금요일 배포는 허용되지 않습니다"),
    ("테스트를 실행합니다", "테스트를 안 실행합니다"),
    ("배포는 월요일에 합니다", "배포는 화요일에 합니다"),
    ("परीक्षण चलते हैं", "परीक्षण नहीं चलते हैं"),
    ("रिलीज़ सोमवार को है", "रिलीज़ मंगलवार को है"),
    ("يسمح بالنشر يوم الجمعة", "لا يسمح بالنشر يوم الجمعة"),
    ("النشر يوم الاثنين", "النشر يوم الثلاثاء"),
    ("Wir behalten Logs dreißig Tage", "Wir behalten Logs vierzig Tage"),
    ("Les journaux restent trente jours", "Les journaux restent quarante jours"),
    ("Los registros duran siete días", "Los registros duran nueve días"),
    ("Testler çalışıyor", "Testler çalışmıyor"),
    ("Os testes rodam sempre", "Os testes não rodam sempre"),
    ("Testy są uruchamiane", "Testy nie są uruchamiane"),
    ("Alice reviews Bob's code", "Bob reviews Alice's code"),
    ("Service orders calls service payments", "Service payments calls service orders"),
    ("Flag A implies flag B", "Flag B implies flag A"),
    ("Plan A was chosen", "Plan B was chosen"),
    ("Run the migrations first, then start the server", "Start the server first, then run the migrations"),
    ("Use http for internal calls", "Use https for internal calls"),
    ("Talk to it over ws", "Talk to it over wss"),
    ("The mail comes by imap", "The mail comes by imaps"),
    ("Files are written as utf8", "Files are written as utf16"),
    ("The client is sync", "The client is async"),
    ("Use Postgres for it", "Use MySQL for it"),
    ("The user likes the answers terse", "The user likes the answers funny"),
    ("Copy the files to the bucket", "Copy the files from the bucket"),
    ("Email is sent to my boss", "Email is sent to your boss"),
    ("The contacts table is sharded", "The contracts table is sharded"),
    ("Use listen for it", "Use list for it"),
    ("He is a reader", "He is a writer"),
    ("Das Licht ist an", "Das Licht ist aus"),
    ("All tests pass on this branch", "Some tests pass on this branch"),
]

PARAPHRASES = [
    ("The user prefers a dark theme in the editor", "In their editor, dark colours are what the user wants"),
    ("Tests are run with pytest", "The project uses pytest for running its tests"),
    ("Node.js runs the build", "The build is run by node.js"),
    ("Commits should be small", "The team keeps every commit small"),
    ("The deploy script lives in the tools folder", "Deploy scripts live in the tools folder"),
    ("Der Nutzer mag kurze Antworten", "Für den Nutzer bitte in wenigen Sätzen schreiben"),
    ("Die Tests laufen mit pytest", "Getestet wird im Projekt mit pytest"),
    ("Das Projekt nutzt Postgres als Datenbank", "Als Datenbank haben wir Postgres im Einsatz"),
    ("用户喜欢深色模式", "用户偏好暗色主题"),
    ("部署脚本位于工具文件夹中", "工具文件夹里放着部署脚本"),
    ("日志保留三十天", "日志会保留30天。"),
    ("ユーザーは短い回答を好む", "回答は短いほうがユーザーに喜ばれる"),
    ("テストは毎晩実行されます", "テストは毎晩実行されます。"),
    ("デプロイ用スクリプトはツールのフォルダにある", "ツールフォルダにデプロイのスクリプトが置かれている"),
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database(tmp_path) as db:
        yield db


@pytest.mark.parametrize(
    ("known", "text"), [pair for one, two in CONTRADICTIONS for pair in ((one, two), (two, one))]
)
def test_w8_a_contradiction_of_nearly_the_same_meaning_is_stored_and_told(
    db: Database, known: str, text: str
) -> None:
    first = created(db, known, meaning=meaning(db))

    done = store(db, text, meaning=meaning(db, 0.99))

    assert isinstance(done, Created)
    assert [one.id for one in done.conflicts] == [first]
    assert live(db) == [known, text]


@pytest.mark.parametrize(
    ("known", "text"), [pair for one, two in PARAPHRASES for pair in ((one, two), (two, one))]
)
def test_mc12_a_paraphrase_is_a_sighting(db: Database, known: str, text: str) -> None:
    first = created(db, known, meaning=meaning(db))

    done = store(db, text, meaning=meaning(db, 0.99))

    assert isinstance(done, Refreshed)
    assert done.id == first
