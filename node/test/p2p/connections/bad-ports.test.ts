import { assert, describe, it } from "@effect/vitest"
import { BAD_PORTS } from "../../../src/net/bad-ports.ts"

/** The list of doc/p2p-bad-ports.md of Bitcoin Core, one line for each hundred or thousand. */
const LISTED = `
1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95
101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179
389 427 465
512 513 514 515 526 530 531 532 540 548 554 556 563 587
601 636 989 990 993 995
1719 1720 1723 2049 3659 4045 5060 5061
6000 6566 6665 6666 6667 6668 6669 6697
10080
`

describe("bad ports", () => {
  it("are those of Bitcoin Core", () => {
    assert.deepStrictEqual([...BAD_PORTS], LISTED.trim().split(/\s+/).map(Number))
  })

  it("are not those of any network", () => {
    for (const port of [8_333, 18_333, 18_444, 38_333, 48_333]) assert.isFalse(BAD_PORTS.has(port))
  })
})
