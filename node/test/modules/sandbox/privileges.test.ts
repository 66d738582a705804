import { assert, describe, it } from "@effect/vitest"
import { dropPrivileges } from "../../../src/modules/sandbox/unshare/enter-sandbox.ts"
import type { Libc } from "../../../src/modules/sandbox/unshare/libc.ts"

/** A C library that keeps what it is asked, and refuses some options of `prctl`. */
const aLibc = (refused: ReadonlyArray<number> = []) => {
  const asked: Array<string> = []
  const libc = {
    prctl: (option: number, value: number) => {
      asked.push(`prctl ${option} ${value}`)
      return !refused.includes(option)
    },
    dropCapabilities: (number: number) => void asked.push(`capset ${number}`)
  } as unknown as Libc
  return { asked, libc }
}

const PLAN = { calls: { capset: 126, mountSetattr: 442 } }

describe("a module in its sandbox", () => {
  it("has no ambient capability, none to gain, none at all, and gains no privileges", () => {
    const { asked, libc } = aLibc()
    dropPrivileges(libc, PLAN)
    assert.deepStrictEqual(asked, [
      "prctl 47 4",
      ...Array.from({ length: 64 }, (_, capability) => `prctl 24 ${capability}`),
      "capset 126",
      "prctl 38 1"
    ])
  })

  it("is not started where the kernel lets it gain privileges, and is where a capability is unknown", () => {
    assert.throws(() => dropPrivileges(aLibc([38]).libc, PLAN), "the kernel does not forbid new privileges")
    dropPrivileges(aLibc([24, 47]).libc, PLAN)
  })
})
