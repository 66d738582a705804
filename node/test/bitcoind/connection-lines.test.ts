import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"

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

  it("name the place where the node connected to itself", () => {
    const [line] = linesOfTraceEvent(
      { _tag: "Disconnecting", peer: 7, address: "127.0.0.1:9", reason: "connected to self" },
      false
    )
    assert.deepStrictEqual([line!.category, line!.text], [undefined, "connected to self at 127.0.0.1:9, disconnecting"])
  })
})
