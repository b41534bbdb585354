BEGIN TRANSACTION;
CREATE TABLE entry (
    seq         INTEGER PRIMARY KEY,
    population  TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('CREATE', 'RESERVE', 'RELEASE')),
    idempotency TEXT UNIQUE,
    content     TEXT NOT NULL,
    hash        TEXT NOT NULL
) STRICT;
INSERT INTO "entry" VALUES(1,'people','CREATE',NULL,'{"at":"2026-11-19T21:12:08+00:00","filter":{"epsilon":"2","filter":"pure"},"state":{"count":0,"spent":{"epsilon":"0"}}}','da284a4838957022cb0262d5b167bf6a98fb3f93e260a6d566b5dad75b42f14a');
INSERT INTO "entry" VALUES(2,'others','CREATE',NULL,'{"at":"2026-11-19T21:12:08+00:00","filter":{"epsilon":"1","filter":"pure"},"state":{"count":0,"spent":{"epsilon":"0"}}}','9a19ed21dd3c93e005399d68988496a6fd06491444e4151d89373c328bc3cff1');
INSERT INTO "entry" VALUES(3,'people','RESERVE','a','{"at":"2026-11-19T21:12:08+00:00","charge":{"epsilon":"1/2"},"event":{"card":"laplace","digest":"0000000000000000000000000000000000000000000000000000000000000000","distance":{"kind":"Distance","l0":null,"l1":null,"l2_squared":null,"linf":null},"kind":"Ran","length":1,"parameters":[["epsilon",{"exact":"1/10"}]]},"state":{"count":1,"spent":{"epsilon":"1/2"}}}','7c1bed831009d60d57072f7af811d6e4227b947d50d7d11506b457e03a592a37');
INSERT INTO "entry" VALUES(4,'people','RELEASE',NULL,'{"answer":[1,{"exact":"1/3"}],"at":"2026-11-19T21:12:08+00:00","reservation":3}','1a210ed33895c4cb64266d50b9ab44b30632f58e8c2210d789c19d43d617eda9');
INSERT INTO "entry" VALUES(5,'people','RESERVE',NULL,'{"at":"2026-11-19T21:12:08+00:00","charge":{"epsilon":"1/4"},"event":{"card":"laplace","digest":"0000000000000000000000000000000000000000000000000000000000000000","distance":{"kind":"Distance","l0":null,"l1":null,"l2_squared":null,"linf":null},"kind":"Ran","length":1,"parameters":[["epsilon",{"exact":"1/10"}]]},"state":{"count":2,"spent":{"epsilon":"3/4"}}}','ae5c0fc05af77463a8679a67600b5d54085c265c5f7952f45170aa20500a2d93');
INSERT INTO "entry" VALUES(6,'others','RESERVE',NULL,'{"at":"2026-11-19T21:12:08+00:00","charge":{"epsilon":"1/2"},"event":{"card":"laplace","digest":"0000000000000000000000000000000000000000000000000000000000000000","distance":{"kind":"Distance","l0":null,"l1":null,"l2_squared":null,"linf":null},"kind":"Ran","length":1,"parameters":[["epsilon",{"exact":"1/10"}]]},"state":{"count":1,"spent":{"epsilon":"1/2"}}}','62dd2bc05a56bbdcfd4c44fcaec1d02a3023ae02005d71a29392f56887d782c8');
INSERT INTO "entry" VALUES(7,'others','RELEASE',NULL,'{"answer":7,"at":"2026-11-19T21:12:08+00:00","reservation":6}','11a5f561eeabf97e424da44b95a6a1b4a695955ef19759a75f8283dccd0c6c07');
CREATE INDEX entry_population ON entry (population, seq);
CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
COMMIT;
PRAGMA user_version = 1;
