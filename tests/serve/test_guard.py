"""Who may ask the server: whoever has the token, from this computer, from a page of this server."""

import socket

import pytest


def test_the_page_comes_with_rules_for_the_browser(served):
    answer, body = served.ask("GET", served.root)
    assert answer.status == 200
    assert b"Your data do not leave this computer" in body
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["Access-Control-Allow-Origin"] is None
    assert answer.headers["Set-Cookie"] is None


@pytest.mark.parametrize("path", ["/", "/page.js", "/tables", "/{wrong}/", "/{wrong}/page.js", "/{short}/", "{long}/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_answered_without_the_token(served, method, path):
    token = served.root.strip("/")
    path = path.format(
        wrong=token[:-1] + ("a" if token[-1] != "a" else "b"), short=token[:-1], long=served.root[:-1] + "a"
    )
    answer, body = served.ask(method, path)
    assert answer.status == 403
    assert token.encode() not in body
    assert answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "127.0.0.1:1", "localhost.example.org:{port}", ""])
def test_a_foreign_name_of_the_server_is_refused(served, host):
    assert served.ask("GET", served.root, Host=host.format(port=served.port))[0].status == 403


def test_both_names_of_this_computer_are_taken(served):
    assert served.ask("GET", served.root, Host=f"localhost:{served.port}")[0].status == 200


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_foreign_page_is_refused(served, origin):
    answer, _ = served.ask("POST", f"{served.root}tables?name=a.csv", b"a\n1\n", Origin=origin.format(port=served.port))
    assert answer.status == 403
    assert served.ask("GET", served.root, Origin=f"http://127.0.0.1:{served.port}")[0].status == 200


@pytest.mark.parametrize(
    "climb",
    ["..", "../", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "tables/..%5c..", "page.js/../../../etc/passwd",
     "tables/x/files/..%2f..%2fpage.js", "page.js%00.css"],
)  # fmt: skip
def test_a_path_that_climbs_out_is_refused(served, climb):
    assert served.ask("GET", served.root + climb)[0].status == 403


@pytest.mark.parametrize(
    "path", ["etc/passwd", "index.html", "server.py", "tables/x/events", "tables/x/files/a", "x/y/z"]
)
def test_what_is_not_there_is_not_found(served, path):
    answer, body = served.ask("GET", served.root + path)
    assert answer.status == 404
    assert b"root:" not in body


def test_nobody_elses_computer_reaches_it(served):
    other = next(iter({one[4][0] for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}))
    if other.startswith("127."):
        pytest.skip("this computer has no other address")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((other, served.port), timeout=5)
