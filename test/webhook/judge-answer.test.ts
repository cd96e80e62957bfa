import { describe, expect, test } from "vitest";
import { judgeAnswer, judgeFailure, parseRetryAfter } from "../../src/webhook/judge-answer.js";
import { NoAnswer } from "../../src/webhook/post.js";

const nowMs = Date.parse("Sat, 31 Jan 2026 12:00:00 GMT");

function judge(status: number, text = "", headers: Record<string, string> = {}) {
  return judgeAnswer({ status, headers, text }, nowMs);
}

test.each([
  ["5", 5_000],
  ["0", 0],
  ["1.5", 1_500],
  ["Sat, 31 Jan 2026 12:00:30 GMT", 30_000],
  ["Saturday, 31-Jan-26 12:00:30 GMT", 30_000],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  ["-5", undefined],
  [undefined, undefined],
])("Retry-After %j means %j ms", (value, expected) => {
  expect(parseRetryAfter(value, nowMs)).toBe(expected);
});

describe("an answer", () => {
  test.each([200, 201, 202, 204])("%i means delivered", (status) => {
    expect(judge(status)).toEqual({ kind: "delivered" });
  });

  test.each([
    [408, false],
    [409, false],
    [425, false],
    [429, false],
    [500, true],
    [502, true],
    [503, false],
    [504, true],
    [599, true],
  ])("%i means another attempt; that its events may be stored: %j", (status, isPending) => {
    expect(judge(status)).toEqual({ kind: "retry", reason: String(status), isPending });
  });

  test("with Retry-After says how long all have to wait", () => {
    expect(judge(429, "", { "retry-after": "7" })).toMatchObject({ kind: "retry", waitMs: 7_000 });
  });

  test("413 means too large, and 400 and 422 that the events are at fault", () => {
    expect(judge(413)).toMatchObject({ kind: "too_large" });
    const body = JSON.stringify({
      message: "Bad Request Exception",
      errors: [
        { property: "[3].event", errorMessage: "Required" },
        { property: "[3].user", errorMessage: "Expected object, received string" },
        { property: "[5]", errorMessage: "Expected object, received null" },
        { property: "other", errorMessage: "odd" },
      ],
    });
    for (const status of [400, 422]) {
      expect(judge(status, body)).toMatchObject({
        kind: "refused",
        reason: expect.stringMatching(/^4\d\d: Bad Request Exception; \[3\]\.event: Required; /),
        faults: [
          { row: 3, message: "event: Required; user: Expected object, received string" },
          { row: 5, message: "Expected object, received null" },
        ],
      });
    }
    expect(judge(400, "<html>no</html>")).toMatchObject({ reason: "400: <html>no</html>" });
  });

  test.each([
    [
      200,
      "<!doctype html>\n<title>Sign in</title>",
      'answered 200 with the page "Sign in", as a proxy',
    ],
    [202, " <html><body>OK</body></html>", "answered 202 with a page, as a proxy"],
    [200, '{"success":false,"message":"quota"}', 'answered 200 and "success": false: quota'],
    [200, '{"ok":false}', '"ok": false'],
    [200, '{"status":"error","message":"quota"}', '"status": "error": quota'],
    [207, '[{"success":true},{"success":false}]', '"success": false'],
    [
      200,
      '{"success":true,"errors":[{"property":"[3].event","errorMessage":"No"}]}',
      "[3].event: No",
    ],
    [
      202,
      '{"events_ingested":498,"failed_records":[{"index":3}]}',
      '"failed_records": [{"index":3}]',
    ],
    [200, '{"insertErrors":[{"index":0}]}', "insertErrors"],
    [200, '{"failed":2}', '"failed": 2'],
    [200, '{"error":"quota"}', '"error": "quota"'],
    [200, " false\n", "answered 200 and false"],
    [200, "0", "answered 200 and 0"],
  ])("%i with %s is not a success", (status, body, words) => {
    const verdict = judge(status, body);
    expect(verdict).toMatchObject({ kind: "stop", error: { code: "send_not_accepted" } });
    expect(String((verdict as { error: Error }).error.message)).toContain(words);
  });

  test.each([
    "",
    "OK",
    '{"success":true}',
    '{"ok":true,"errors":[],"error":null,"failed":0}',
    '[{"success":true}]',
    '{"warnings":[{"property":"a","message":"false"}]}',
    '{"message":"no errors, nothing failed"}',
    "<response>OK</response>",
  ])("200 with %s is a success", (body) => {
    expect(judge(200, body)).toEqual({ kind: "delivered" });
  });

  test.each([
    ["", 'without "success": true: an empty body'],
    ["OK", 'without "success": true: OK'],
    ['{"queued":true}', 'without "success": true: {"queued":true}'],
  ])("of %s is not accepted where the target's success has a member", (text, words) => {
    const verdict = judgeAnswer({ status: 202, headers: {}, text }, 0, { success: true });
    expect(verdict).toMatchObject({ kind: "stop", error: { code: "send_not_accepted" } });
    expect(String((verdict as { error: Error }).error.message)).toContain(words);
    expect(
      judgeAnswer({ status: 202, headers: {}, text: '{"success":true}' }, 0, { success: true }),
    ).toEqual({
      kind: "delivered",
    });
  });

  test.each([
    [301, "send_redirected", "https://elsewhere.example/"],
    [401, "send_unauthorized", "check the server secret"],
    [403, "send_forbidden", "check what the server secret may do"],
    [404, "send_not_found", "check the address"],
    [415, "send_unsupported", "takes events"],
  ])("%i ends the run with %s", (status, code, advice) => {
    const verdict = judge(status, '{"message":"no"}', { location: "https://elsewhere.example/" });
    expect(verdict).toMatchObject({ kind: "stop", error: { code } });
    expect(String((verdict as { error: Error }).error.message)).toContain(advice);
  });
});

test.each([
  ["certificate_untrusted", "send_certificate", "NODE_EXTRA_CA_CERTS"],
  ["certificate_of_other_host", "send_certificate", "pass a host that the certificate names"],
  ["certificate_out_of_date", "send_certificate", "check the clock"],
  ["no_tls", "send_certificate", "pass http://"],
  ["host_unknown", "send_host_unknown", "check the host"],
] as const)("%s ends the run with %s and advice of its own", (kind, code, advice) => {
  const verdict = judgeFailure(new NoAnswer(kind, "no"), false);
  expect(verdict).toMatchObject({ kind: "stop", error: { code } });
  expect(String((verdict as { error: Error }).error.message)).toContain(advice);
});

test("a wrong certificate and an unknown host end a run that has not had an answer yet", () => {
  const wrong = new NoAnswer("certificate_untrusted", "self-signed certificate");
  const unknown = new NoAnswer("host_unknown", "getaddrinfo ENOTFOUND nowhere");
  expect(judgeFailure(wrong, false)).toMatchObject({ error: { code: "send_certificate" } });
  expect(judgeFailure(unknown, false)).toMatchObject({ error: { code: "send_host_unknown" } });
  expect(judgeFailure(unknown, true)).toMatchObject({ kind: "retry", isPending: false });
  expect(judgeFailure(new NoAnswer("lost", "other side closed"), false)).toMatchObject({
    kind: "retry",
    isPending: true,
  });
});
