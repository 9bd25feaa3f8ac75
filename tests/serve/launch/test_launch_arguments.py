"""The server's command line, and what is not the user's to put there."""

from __future__ import annotations

import pytest

from curator._errors import InputError
from curator.serve.launch.arguments import ALWAYS, CPU, command_line, gives, split_arguments, value_of

CONTEST = (
    "--disable-radix-cache --attention-backend minicpm_flashinfer --chunked-prefill-size 8192 "
    "--skip-server-warmup --dense-as-sparse"
)


def test_the_contests_list_comes_through_word_for_word_and_wins_over_our_defaults() -> None:
    given = split_arguments([CONTEST])
    assert given == CONTEST.split()
    words = command_line(given, ALWAYS, CPU)
    assert words[-len(given) :] == given
    # Ours beside it are those that it does not name; nobody but the user sets the chunk size.
    assert words[: -len(given)] == [
        "--enable-custom-logit-processor",
        *("--device", "cpu"),
        *("--dtype", "float32"),
        *("--max-total-tokens", "65536"),
        *("--max-running-requests", "32"),
        "--sleep-on-idle",
    ]
    assert "--chunked-prefill-size" not in command_line([], ALWAYS, CPU)


def test_a_list_quotes_and_several_strings_are_all_words() -> None:
    override = '{"rope_theta": 1e6}'
    asked = ['["--tp", "2"]', f"--json-model-override-args '{override}'", "--port=31000"]
    assert split_arguments(asked) == ["--tp", "2", "--json-model-override-args", override, "--port=31000"]


def test_an_option_is_found_in_each_way_that_pythons_parser_takes() -> None:
    words = ["--dtype=float16", "--max-running", "4", "--dtype", "bfloat16", "--sleep-on-idle"]
    assert value_of(words, "--dtype") == "bfloat16"
    # Cut short: argparse takes any beginning of one option only.
    assert value_of(words, "--max-running-requests") == "4"
    assert gives(words, "--sleep-on-idle")
    # A longer option is another one.
    assert not gives(["--quantization-param-path", "x"], "--quantization")
    assert value_of(["--port"], "--port") is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("--api-key s3cret", "put the key into CURATE_API_KEY"),
        ("--api-k s3cret", "put the key into CURATE_API_KEY"),
        ("--model-path other", "told by --model or --checkpoint"),
        ("--model=other", "told by --model or --checkpoint"),
        ("--host 0.0.0.0", "listens on this machine only"),
        ("--host=10.0.0.1", "listens on this machine only"),
        ("tp 2", "begins with --"),
        ("--a 'b", "close the quote"),
        ("[3]", "list of strings"),
        ("[", "mend it"),
        ('["--a\\u0000b"]', "zero byte"),
    ],
)
def test_what_is_not_the_users_to_give_is_refused_in_one_line(given: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        split_arguments([given])
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert "s3cret" not in str(error.value)
