"""What is personal data of each kind, and what only looks like it."""

from __future__ import annotations

import pytest

from curator.gates.personal_data.find import find_personal_data

# Made up, and joined here so that no scanner of this repository takes them for real.
GITHUB = "ghp_" + "aB3xY9" * 6
AMAZON = "AK" + "IAQ3EGRTKJ5NBW7XYZ"
OPENAI = "sk-" + "proj-" + "aB3xY" * 8
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".abcDEF123_-x"
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nabc+/=\n-----END RSA PRIVATE KEY-----"


def _found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in find_personal_data(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Write to mary.o'neil+list@mail.firm.co.uk, please.", "mary.o'neil+list@mail.firm.co.uk"),
        ("请联系zhang.wei@firma.cn谢谢", "zhang.wei@firma.cn"),
        ("ติดต่อsomchai@firma.co.thนะ", "somchai@firma.co.th"),
        ("<a href='mailto:anna@büro.de'>", "anna@büro.de"),
        ("joe@firm.com: he said", "joe@firm.com"),
        ("Joe <joe@firm.io>", "joe@firm.io"),
        ("The address is joe@firm.info.", "joe@firm.info"),
    ],
)
def test_mail_address(text: str, value: str) -> None:
    assert _found(text) == [("email", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("card 4111 1111 1111 1111, 12/27", "4111 1111 1111 1111"),
        ("5500-0055-5555-5559", "5500-0055-5555-5559"),
        ("3782 822463 10005", "3782 822463 10005"),
        ("卡号6011000990139424。", "6011000990139424"),
        ("4111111111111111,12/27", "4111111111111111"),
    ],
)
def test_card(text: str, value: str) -> None:
    assert _found(text) == [("card", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("IBAN GB33 BUKB 2020 1555 5555 55", "GB33 BUKB 2020 1555 5555 55"),
        ("DE89370400440532013000", "DE89370400440532013000"),
        ("Konto DE89 3704 0044 0532 0130 00 bei", "DE89 3704 0044 0532 0130 00"),
        ("FR14 2004 1010 0505 0001 3M02 606 SVP", "FR14 2004 1010 0505 0001 3M02 606"),
        ("账户DE89370400440532013000号", "DE89370400440532013000"),
    ],
)
def test_iban(text: str, value: str) -> None:
    assert _found(text) == [("iban", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("host 52.31.7.144 is down", "52.31.7.144"),
        ("http://52.31.7.144:8080/x", "52.31.7.144"),
        ("<td>52.31.7.144</td>", "52.31.7.144"),
        ("地址52.31.7.144的主机", "52.31.7.144"),
        ("10.0.0.1,52.31.7.144", "52.31.7.144"),
        ("[2606:4700:10::6814:1f2e]:443", "2606:4700:10::6814:1f2e"),
        ("from 2a00:1450:4001:81b::200e: refused", "2a00:1450:4001:81b::200e"),
    ],
)
def test_ip_address(text: str, value: str) -> None:
    assert _found(text) == [("ip", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"export T={GITHUB}", GITHUB),
        (f"id {AMAZON}", AMAZON),
        (f"key: {OPENAI}", OPENAI),
        ("sk-" + "0a1b2c3d4e5f" * 3, "sk-" + "0a1b2c3d4e5f" * 3),
        ("github_pat_" + "11ABCDEFG0abcdefghij_x1Y", "github_pat_" + "11ABCDEFG0abcdefghij_x1Y"),
        ("xoxb-" + "123456789012-abcdefGHIJ", "xoxb-" + "123456789012-abcdefGHIJ"),
        ("hf_" + "AbCdEfGhIj" * 3 + "KlMn", "hf_" + "AbCdEfGhIj" * 3 + "KlMn"),
        ("AI" + "zaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "AI" + "zaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
        (f"({JWT})", JWT),
        (f"{PEM}\nend", PEM),
        (PEM.partition("-----END")[0], PEM.partition("\n-----END")[0]),
        ("password=hunter2", "hunter2"),
        ("DB_PASSWORD: 'S3cr3t!x'", "S3cr3t!x"),
        ('{"api_key": "9f8e7d6c5b4a"}', "9f8e7d6c5b4a"),
        ("Authorization: Bearer abcdef1234567890abcd", "abcdef1234567890abcd"),
        ("-H 'Authorization: Basic dXNlcjpwYXNzdzByZA=='", "dXNlcjpwYXNzdzByZA=="),
        ("postgres://bob:p4ssw0rd@db.firm.com/x", "p4ssw0rd"),
    ],
)
def test_key(text: str, value: str) -> None:
    assert _found(text) == [("key", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("call +1 415 555 2671 now", "+1 415 555 2671"),
        ("Call +1 415 555 2671 2023-01-01", "+1 415 555 2671"),
        ("请拨打+86 138 0013 8000咨询", "+86 138 0013 8000"),
        ("(415) 555-2671", "(415) 555-2671"),
        ("1-800-356-9377", "1-800-356-9377"),
        ("212-736-5000", "212-736-5000"),
        ("手机：13812345678", "13812345678"),
        ("My phone number is 4155552671.", "4155552671"),
        ("call me on 07911 223344", "07911 223344"),
        ("Tél. 01 44 71 14 29", "01 44 71 14 29"),
        ("Telefon: 030 901820 12", "030 901820 12"),
        ("tel:+442072193000", "+442072193000"),
    ],
)
def test_phone(text: str, value: str) -> None:
    assert _found(text) == [("phone", value)]


@pytest.mark.parametrize(
    "text",
    [
        "joe@example.org and x@mail.example.com and a@b.test",
        "@property\ndef f(self) -> None: ...\n\n@app.route('/x')",
        "git clone git@github.com:org/repo.git; scp deploy@server.com:/var .",
        "y = a@b; z = self.w@other.weight; q = a@b.to(device); x @ y.T",
        "icon@2x.png, pkg@1.2.3, getty@tty1.service, user@localhost",
        "ssh://git@host.com/x",
    ],
)
def test_no_mail_address(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 10:00:00.123456, 20240101T101010, 12/31/2023 23:59:59",
        "ISBN 978-3-16-148410-0, ISBN 0-306-40615-2",
        "d41d8cd98f00b204e9800998ecf8427e 123e4567-e89b-12d3-a456-426614174000",
        "order 1234567890123456, PO 4500012345, #1234567, ID: 20231231-0001, line 12345678",
        "1700000000000000000 and 3.14159265358979323846 and 0.4111111111111111",
        "4111 1111 1111 1112 and 4242424242424241",
        "4111 1111 1111 1111 2222 3333",
        "seed = 6581432544381372042",
        "GB33 BUKB 2020 1555 5555 56 and AB12 CDEF GHIJ KLMN",
        "45.123456, -122.987654, 1,234,567,890, 2015-2019/2020-2024",
        "  12  415 555 2671\n  13  416 555 2672",
        "555-0123, (212) 555-0187, +1 212 555 0123, +44 1632 960123, tel. 020 7946 0958",
        "x = f(+123456789) + 1+2345678901 - 100-200-3000",
    ],
)
def test_numbers_that_are_no_ones(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.1 192.168.1.1 127.0.0.1 172.16.3.4 169.254.1.1 0.0.0.0 255.255.255.255",
        "192.0.2.7 198.51.100.3 203.0.113.9 2001:db8::1 fe80::1 ::1",
        "version 120.33.44.55, Chrome/120.0.6099.109, requests==52.31.7.144, types<2.31.0.71",
        "1.2.3.4 and 8.8.8.8 and v1.2.3.4 and section 4.1.2.30 and 1.3.6.1.4.1.311.2",
        "std::vector<int> abc::def dead::beef 10:20:30 00:1a:2b:3c:4d:5e",
    ],
)
def test_no_ones_ip_address(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()\npassword: Optional[str] = None\nf(password=pass1, x)",
        "password=os.environ['X1']\npassword=config.secret1 \npassword=${DB_PASSWORD1}\npassword=<your-password1>",
        "https://user:password@host.com/ gist://name:TOKEN@x",
        "the secret: it was her; token: tokenizer1; key=value1",
        "sk-learn-is-a-library-for-machine-learning hf_hub_download_with_retries_and_more1",
        "sk-fading-circle-container-wrapper-12",
        "Bearer of the constitutionalists, bearer <token>",
        "-----BEGIN CERTIFICATE-----\nMIID1\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\nMII1\n",
        "eyJhbGciOiJIUzI1NiJ9",
    ],
)
def test_no_key(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("aws_secret_access_key = 9c2NuzAOk3Lm8PqR7tVx", "9c2NuzAOk3Lm8PqR7tVx"),
        ("AWS_SECRET_ACCESS_KEY = 9c2NuzAOk3Lm8PqR7tVx", "9c2NuzAOk3Lm8PqR7tVx"),
        ("secret_key: 9c2NuzAOk3Lm8PqR7tVx", "9c2NuzAOk3Lm8PqR7tVx"),
        ("password = hash2", ""),
        ("password = get_pw2(user)", ""),
        ("self.secret = config.secret_1_value_long_name", ""),
    ],
)
def test_a_space_behind_the_sign_hides_no_secret_and_makes_none_of_an_expression(line: str, secret: str) -> None:
    assert [line[one.start : one.end] for one in find_personal_data(line)] == ([secret] if secret else [])
