"""What schemathesis takes for a failure of the server: any 5xx but those by which a device says that it cannot do it
(501 UNSUPPORTED), or that a condition did not hold in the time it was given (504 TIMEOUT)."""
import schemathesis

ANSWERS = {501: "UNSUPPORTED", 504: "TIMEOUT"}


@schemathesis.check
def no_failure_of_the_server(ctx, response, case):
    status = response.status_code
    code = (response.headers.get("ios-agent-code") or [""])[0]
    assert status < 500 or ANSWERS.get(status) == code, f"{status} {code}"
