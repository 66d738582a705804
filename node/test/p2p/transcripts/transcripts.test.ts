import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { appendFileSync } from "node:fs"
import { recordedFiles } from "../../acceptance/recorded-files.ts"
import { play, replayOf } from "./replay.ts"
import { replayNode } from "./replay-node.ts"
import { areRecorded, bytesOf, type Scenario, scenariosOf } from "./scenarios.ts"
import { patience } from "../../process/patience.ts"

/** What the recorded node was notified of before a peer asked it for addresses. */
const addressesOf = (scenarios: ReadonlyArray<Scenario>) => {
  const row = scenarios.flatMap(({ rows }) => rows).find(({ d, t }) => d === "recv" && t === "addrv2")
  const decoded = decodeMessage("addrv2", bytesOf(row!.p!))
  return Result.isSuccess(decoded) ? decoded.success.message.addresses : []
}

/** The recorded node knew more addresses than it gave: it reports 23 in a hundred. */
const FURTHER_ADDRESSES = 23

const furtherAddress = (i: number): KnownAddress => ({
  time: 1_700_193_573,
  services: 9n,
  address: { network: AddressNetwork.IPV4, bytes: Uint8Array.of(20 + i, 3 * i, 1, 7) },
  port: 8_333
})

const note = (line: string): void => {
  if (process.env["LOCKSTEP_REPLAY_LOG"] !== undefined) appendFileSync(process.env["LOCKSTEP_REPLAY_LOG"], `${line}\n`)
}

describe.skipIf(!areRecorded)("recorded conversations of Bitcoin Core", () => {
  it.live.each([...recordedFiles("oracle/p2p", "transcripts")])(
    "what it answered to a peer that connects to it: %s",
    (name) =>
      Effect.gen(function*() {
        const node = yield* replayNode()
        const scenarios = scenariosOf(`p2p/${name}`)
        const addresses = [
          ...addressesOf(scenarios),
          ...Array.from({ length: FURTHER_ADDRESSES }, (_, i) => furtherAddress(i))
        ]
        for (const address of addresses) node.book.add([address], address.address)
        const replay = replayOf(node)
        const wrong: Array<string> = []
        for (const scenario of scenarios) {
          yield* play(replay, scenario)
          const found = replay.differences.splice(0)
          note(`${scenario.name}: ${found.length}`)
          for (const each of found) note(`    ${each}`)
          wrong.push(...found)
        }
        assert.deepStrictEqual(wrong, [])
        assert.deepStrictEqual(node.lines, [])
        assert.deepStrictEqual(node.defects, [])
      }),
    patience(180_000)
  )
})
