"""Secrets known by their format alone: a prefix that an issuer gives its tokens, and the run behind it."""

from __future__ import annotations

from memd.turns.rule import ALNUM, HEX, WORD, Family, has_digits, is_mixed, shape, starts, token

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

UNDERSCORE = Family.of(
    "_",
    r"_(?<=[a-z0-9JKST]_)(?:(?=[\w-]{16})(?![A-Z_]{16})(?=[a-z_-]{0,14}[0-9A-Z])|(?<=fm[12]_))",
    token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", 20, ALNUM),
    token("github_token", "github_pat_", 22, "A-Za-z0-9_"),
    token("stripe_key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ whsec_", 16, ALNUM),
    token("elevenlabs_key", "sk_", 40, HEX),
    token("npm_token", "npm_", 30, ALNUM),
    token("hf_token", "hf_ api_org_", 30, ALNUM),
    token("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", 40, HEX),
    token("grafana_token", "glsa_ glc_", 24, "A-Za-z0-9_+/="),
    token("linear_key", "lin_api_ lin_oauth_", 30, ALNUM),
    token("notion_token", "ntn_", 30, ALNUM),
    token("notion_token", "secret_", 40, ALNUM),
    token("shopify_token", "shpat_ shpca_ shppa_ shpss_", 24, "A-Fa-f0-9"),
    token("sentry_token", "sntrys_ sntryu_", 20, "A-Za-z0-9_+/=-"),
    token("supabase_key", "sbp_ sb_secret_", 28),
    token("groq_key", "gsk_", 30, ALNUM),
    token("replicate_token", "r8_", 30, ALNUM),
    token("langsmith_key", "lsv2_pt_ lsv2_sk_", 30, "A-Za-z0-9_"),
    token("posthog_key", "phx_ phs_", 30, ALNUM),
    token("rubygems_key", "rubygems_", 40, HEX),
    token("jina_key", "jina_", 40, "A-Za-z0-9_"),
    token("e2b_key", "e2b_", 36, HEX),
    token("neon_key", "napi_", 40, ALNUM),
    token("onepassword_token", "ops_eyJ", 40, "A-Za-z0-9_+/=-"),
    token("clojars_token", "CLOJARS_", 50, HEX),
    token("fireworks_key", "fw_", 20, ALNUM),
    token("together_key", "tgp_v1_", 30),
    token("vercel_token", "vcp_ vck_ vercel_blob_rw_", 40, "A-Za-z0-9_"),
    token("render_key", "rnd_", 28, ALNUM),
    token("resend_key", "re_", 28, "A-Za-z0-9_"),
    token("buildkite_token", "bkua_", 36, HEX),
    token("airtable_token", "patAT_", 20),
    token("figma_token", "figd_", 30),
    token("docker_token", "dckr_pat_ dckr_oat_", 20),
    token("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", 24, "A-Za-z0-9_.-"),
    shape("fly_token", "FlyV1", r"FlyV1 fm\d_[\w+/=,-]{30,}+"),
    token("fly_token", "fo1_ fm1_ fm2_", 40, "A-Za-z0-9_+/=,-"),
    token("pinecone_key", "pcsk_", 40, "A-Za-z0-9_"),
    token("wandb_key", "wandb_v1_", 40, "A-Za-z0-9_"),
    token("cursor_key", "crsr_", 40, HEX),
    token("sourcegraph_token", "sgp_", 40, "A-Za-z0-9_"),
    token("circleci_token", "CCIPAT_ CCIPRJ_", 40, "A-Za-z0-9_"),
    token("gitea_token", "gto_", 36, ALNUM),
    token("prefect_key", "pnu_ pnb_", 30, ALNUM),
    token("readme_key", "rdme_", 50, "a-z0-9"),
    token("shippo_key", "shippo_live_ shippo_test_", 36, HEX),
    token("duffel_token", "duffel_live_ duffel_test_", 40),
    token("flutterwave_key", "FLWSECK_TEST- FLWSECK-", 12),
    token("typeform_token", "tfp_", 40, "A-Za-z0-9_.-"),
    shape("clickup_token", "pk_", rf"{starts('pk_')}\d{{6,10}}_[A-Z0-9]{{30,}}+"),
    shape("lob_key", "live_", rf"{starts('live_')}[0-9a-f]{{35}}(?![\w-])"),
    reach=16,
)

HYPHEN = Family.of(
    "-",
    r"-(?!---)(?=[A-Za-z0-9_.-]{16})(?=[a-z_.-]{0,14}[0-9A-Z])",
    token("anthropic_key", "sk-ant-", 16),
    token("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", 16),
    token("openrouter_key", "sk-or-", 24),
    token("openai_key", "sk- sess-", 20, ALNUM),
    shape("api_key", "sk-", rf"{starts('sk-')}[a-z0-9]{{2,10}}-(?:[\w-]|\.(?=\w)){{10,}}+", has_digits),
    shape("api_key", "sk-", rf"{starts('sk-')}[\w-]{{20,}}+", is_mixed),
    token(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glimt- glagent- gloas- glffct- glwt-",
        16,
        "A-Za-z0-9_.-",
    ),
    token("slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd-", 16, "A-Za-z0-9%-"),
    token("slack_token", "xapp- xoxe- xoxe.xoxp- xoxe.xoxb-", 16, "A-Za-z0-9-"),
    token("pypi_token", "pypi-Ag", 40),
    token("mailgun_key", "key-", 32, HEX),
    token("postman_key", "PMAK-", 24, "A-Za-z0-9-"),
    token("tailscale_key", "tskey-", 16, "A-Za-z0-9-"),
    token("xai_key", "xai-", 40),
    token("perplexity_key", "pplx-", 32, ALNUM),
    token("age_key", "AGE-SECRET-KEY-", 40, "A-Z0-9"),
    token("google_oauth_secret", "GOCSPX-", 20),
    token("square_token", "sq0csp- sq0atp- sq0idp-", 22),
    token("newrelic_key", "NRAK- NRJS- NRII-", 24, "A-Z0-9"),
    token("pulumi_token", "pul-", 40, HEX),
    token("contentful_token", "CFPAT-", 30),
    token("nvidia_key", "nvapi-", 40),
    token("tavily_key", "tvly-", 20),
    token("cerebras_key", "csk-", 30, ALNUM),
    token("firecrawl_key", "fc-", 32, HEX),
    token("hubspot_token", "pat-na1- pat-eu1-", 30, "a-f0-9-"),
    token("heroku_key", "HRKU-", 30),
    token("brevo_key", "xkeysib- xsmtpsib-", 50),
    token("adobe_secret", "p8e-", 30, ALNUM),
    token("infracost_key", "ico-", 32, ALNUM),
    token("scalingo_token", "tk-us-", 40),
    token("frameio_token", "fio-u-", 50),
    shape("launchdarkly_key", "sdk- mob-", rf"(?:{starts('sdk-')}|{starts('mob-')}){_UUID}"),
    shape("plaid_token", "access-", rf"{starts('access-')}(?:sandbox|development|production)-{_UUID}"),
    shape("okta_token", "SSWS", r"SSWS 00[\w-]{36,}+"),
    shape(
        "onepassword_key",
        "A3-",
        rf"{starts('A3-')}[A-Z0-9]{{6}}-(?:[A-Z0-9]{{5,6}}-){{3,4}}[A-Z0-9]{{5}}(?![\w-])",
    ),
    reach=48,
)

DOT = Family.of(
    ".",
    r"\.(?:(?=[\w-]{20})(?=[a-z_-]{0,16}[0-9A-Z])|(?=[\w-]{6}\.[\w-]{27}))",
    shape("sendgrid_key", "SG.", rf"{starts('SG[.]')}[\w-]{{16,}}+\.[\w-]{{16,}}+"),
    token("vault_token", "hvs. hvb. hvr.", 20),
    shape(
        "vault_token", "s.", rf"{starts('s[.]', 'A-Za-z0-9_.-')}[A-Za-z0-9]{{24}}(?![\w(\[-]|\.\w)", is_mixed
    ),
    shape("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+"),
    token("google_oauth_token", "ya29.", 20),
    token("doppler_token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 30, ALNUM),
    shape("doppler_token", "dp.st.", r"dp\.st\.[a-z0-9_-]{2,35}\.[A-Za-z0-9]{30,}+"),
    shape("dynatrace_token", "dt0c01. dt0s01.", r"dt0[cs]01\.[A-Z0-9]{20,}+\.[A-Z0-9]{40,}+"),
    token("dropbox_token", "sl.", 100),
    token("discord_token", "mfa.", 60),
    shape("discord_token", ".", rf"{starts('[MNO]')}[\w-]{{22,29}}\.[\w-]{{6}}\.[\w-]{{27,}}+", is_mixed),
    shape("airtable_token", "pat", rf"{starts('pat')}[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"),
    shape("harness_token", "pat.", rf"{starts('pat[.]')}[\w-]{{22}}\.[0-9a-f]{{24}}\.[A-Za-z0-9]{{20,}}+"),
    shape("cloudflare_token", "v1.0-", rf"{starts('v1[.]0-')}[0-9a-f]{{24}}-[0-9a-f]{{100,}}+"),
    reach=48,
)

JSON64 = Family.of(
    "J",
    # base64 of {" is what tokens of signed or encrypted JSON begin with
    rf"J(?<=eyJ)[{WORD}]{{10}}",
    shape("jwt", "eyJ", rf"{starts('eyJ')}[\w-]{{10,}}+\.(?:[\w-]{{10,}}+|(?=\.))(?:\.[\w-]*+){{0,3}}"),
    token("grafana_token", "eyJrIjoi", 40, "A-Za-z0-9_+/=-"),
)

UPPER = Family.of(
    "A",
    r"A(?=[ABCIKLQST3])(?:[KS]IA[A-Z0-9]{16}|BIA|CCA|Iza|T[AC]TT3|A[\w-]{30}|BSK[\w+/]{20}|KCp\w{20}|QVN[\w-]{20}|"
    r"(?<=LTA)I\w{16}|(?<=EZA)K\w{20}|(?<=NRA)L)",
    shape(
        "aws_key",
        "AKIA ASIA ABIA ACCA",
        r"A(?:KI|SI|BI|CC)A(?:(?<![A-Z0-9].{4})|(?<=%[0-9A-F]{2}.{4}))[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    shape(
        "aws_secret",
        "AKIA ASIA",
        r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:/|]{1,5}[\"']?(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
        is_mixed,
    ),
    token("bedrock_key", "ABSK", 60, "A-Za-z0-9+/="),
    token("google_api_key", "AIza", 30),
    shape("telegram_token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{30,}+"),
    token("atlassian_token", "ATATT3 ATCTT3", 30, "A-Za-z0-9_=-"),
    token("square_token", "EAAA", 56),
    token("facebook_token", "EAAC", 80, ALNUM),
    token("artifactory_key", "AKCp", 60, ALNUM),
    token("yandex_key", "AQVN", 35),
    shape("alibaba_key", "LTAI", rf"{starts('LTAI')}[A-Za-z0-9]{{16,24}}(?![\w-])", is_mixed),
    token("easypost_key", "EZAK", 50, ALNUM),
    shape("newrelic_key", "NRAL", r"[0-9a-f]{36}(?<![0-9a-f]{37})NRAL"),
)

TWILIO = Family.of(
    "K",
    r"K(?<=SK)[0-9a-f]{32}",
    shape("twilio_key", "SK", rf"{starts('SK', ALNUM)}[0-9a-f]{{32}}(?![A-Za-z0-9])"),
)

TILDE = Family.of(
    "~",
    r"~(?:(?<=[0-9]Q~)|(?<=sha256~))",
    shape("azure_ad_secret", "Q~", r"(?:(?<![\w.~-])|(?<=\\[nrt]))[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w~])"),
    token("openshift_token", "sha256~", 40),
)

REFERENCE = Family.of(
    "V",
    r"V(?<=cmV)md",  # base64 of reftkn
    token("artifactory_token", "cmVmd", 55, ALNUM),
)

DOLLAR = Family.of(
    "$",
    r"\$(?:production|sandbox)\$",
    shape("paypal_token", "access_token", r"access_token\$(?:production|sandbox)\$[\w$]{16,}+"),
)

FAMILIES = (UNDERSCORE, HYPHEN, DOT, JSON64, UPPER, TWILIO, TILDE, REFERENCE, DOLLAR)
