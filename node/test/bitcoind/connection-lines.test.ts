import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { DialFault } from "../../src/runtime/trace.ts"

describe("lines about connections", () => {
  it("tell what became of the agreement to reconcile transactions", () => {
    const lines = (["offered", "agreed", "forgotten", "off", "unexpected"] as const).flatMap((step) =>
      linesOfTraceEvent({ _tag: "Reconciliation", peer: 7, isInbound: step === "agreed", step }, false)
    )
    assert.deepStrictEqual(lines.map(({ category, text: line }) => `[${category}] ${line}`), [
      "[txreconciliation] Pre-register peer=7",
      "[txreconciliation] Register peer=7 (inbound=1)",
      "[txreconciliation] Forget txreconciliation state of peer=7",
      "[net] sendtxrcncl from peer=7 ignored, as our node does not have txreconciliation enabled",
      "[net] Ignore unexpected txreconciliation signal from peer=7"
    ])
  })

  it("say what was left out: what came too early, again, or of an unknown type, in printable characters", () => {
    const line = (command: string, why: "again" | "before verack" | "before version" | "unknown type") =>
      linesOfTraceEvent({ _tag: "LeftOut", peer: 7, command, why }, false).map(({ category, text }) =>
        `[${category}] ${text}`
      ).join()
    assert.strictEqual(line("version", "again"), "[net] redundant version message from peer=7")
    assert.strictEqual(line("verack", "again"), "[net] ignoring redundant verack message from peer=7")
    assert.strictEqual(line("a\n\"b", "unknown type"), "[net] Unknown message type \"ab\" from peer=7")
    assert.strictEqual(
      line("inv", "before version"),
      "[net] non-version message before version handshake. Message \"inv\" from peer=7"
    )
    assert.strictEqual(line("inv", "before verack"), "[net] Unsupported message \"inv\" prior to verack from peer=7")
  })

  it("say why an attempt to connect failed: of a proxy and of manual connections always, of others in detail", () => {
    const line = (
      reason: string,
      more: { readonly isProxy?: boolean; readonly isManual?: boolean; readonly fault?: DialFault } = {}
    ) =>
      linesOfTraceEvent({
        _tag: "DialFailed",
        address: "11.1.1.1:1",
        reason,
        fault: undefined,
        isProxy: false,
        isManual: false,
        ...more
      }, false).map(({ category, text }) => `[${category}] ${text}`).join()
    assert.strictEqual(
      line("connection refused"),
      "[net] connect() to 11.1.1.1:1 failed after wait: connection refused"
    )
    assert.strictEqual(
      line("connection refused", { isManual: true }),
      "[undefined] connect() to 11.1.1.1:1 failed after wait: connection refused"
    )
    assert.strictEqual(
      line("unreached", {
        isProxy: true,
        fault: { _tag: "ProxyUnreached", proxy: "127.0.0.1:9050", why: "connection refused" }
      }),
      "[undefined] connect() to 127.0.0.1:9050 failed after wait: connection refused"
    )
    assert.strictEqual(
      line("late", { fault: { _tag: "NoAnswer" } }),
      "[net] connection attempt to 11.1.1.1:1 timed out"
    )
    assert.strictEqual(
      line("refused", { fault: { _tag: "ProxyRefused", answer: "host unreachable" } }),
      "[proxy] Socks5() connect to 11.1.1.1:1 failed: host unreachable"
    )
  })

  it("name the place where the node connected to itself", () => {
    const [line] = linesOfTraceEvent(
      { _tag: "Disconnecting", peer: 7, address: "127.0.0.1:9", reason: { _tag: "ConnectedToSelf" } },
      false
    )
    assert.deepStrictEqual([line!.category, line!.text], [undefined, "connected to self at 127.0.0.1:9, disconnecting"])
  })
})
